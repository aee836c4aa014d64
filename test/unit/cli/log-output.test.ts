import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { logOutput } from '../../../src/cli/log-output.ts';

describe('the output of a log', () => {
  it('leaves out what cannot be written', () => {
    const file = openSync('/dev/full', 'w');
    const output = logOutput(file);
    output.write('one\n');
    output.write('two\n');
    closeSync(file);
  });

  it('waits a while for a reader that is slow, leaves out what comes then, and goes on with a line of its own', () => {
    const folder = mkdtempSync(join(tmpdir(), 'routeproof-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const file = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      const output = logOutput(file);
      const long = `${'x'.repeat(100_000)}\n`;
      const began = performance.now();
      output.write(long);
      const waited = performance.now() - began;
      expect(waited).toBeGreaterThan(900);
      output.write('not written\n');
      expect(performance.now() - began - waited).toBeLessThan(500);
      const buffer = Buffer.alloc(200_000);
      const taken = readSync(file, buffer);
      expect(taken).toBeLessThan(long.length);
      output.write('written\n');
      expect(buffer.toString('utf8', 0, readSync(file, buffer))).toBe('\nwritten\n');
    } finally {
      closeSync(file);
      rmSync(folder, { recursive: true });
    }
  });
});
