/** The agent of `routeproof/agent`, as docs/real.md shows it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { calicoPrefix } from '../../src/etcd/endpoint-keys.ts';
import { EndpointWriter } from '../../src/etcd/endpoint-writer.ts';
import { type EtcdCluster, startEtcd } from '../../src/rig/etcd-process.ts';
import { readAgentTrace } from '../../src/validate/agent-trace.ts';
import { allowedRun } from './allowed-run.ts';
import { missingEtcd } from './missing-etcd.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = await readFile(join(root, 'docs/real.md'), 'utf8');
const code = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? 'throw new Error("no example")';
const shownEndpoint = 'http://127.0.0.1:2379';
// Inside the package, so that its own name resolves to what was built.
const example = join(root, 'dist/agent-example.mjs');

afterAll(() => rm(example, { force: true }));

it('the example of docs/real.md has no mistake of types', async () => {
  await writeFile(example, code);
  const { stdout, exitCode } = await execa(
    join(root, 'node_modules/.bin/tsc'),
    [
      ...['--ignoreConfig', '--noEmit', '--allowJs', '--checkJs', '--strict', '--skipLibCheck'],
      ...['--target', 'es2023', '--module', 'nodenext', '--types', 'node', example],
    ],
    { cwd: root, reject: false },
  );
  expect(stdout).toBe('');
  expect(exitCode).toBe(0);
});

describe.skipIf(missingEtcd !== '')(`the example of docs/real.md${missingEtcd}`, () => {
  let etcd: EtcdCluster;
  let folder: string;
  beforeAll(async () => {
    etcd = await startEtcd();
    folder = await mkdtemp(join(tmpdir(), 'routeproof-library-'));
  });
  afterAll(async () => {
    await etcd?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('adds the route of an endpoint, ends, and leaves a trace that the model allows', async () => {
    expect(code.split(shownEndpoint)).toHaveLength(2);
    await writeFile(example, code.replace(shownEndpoint, etcd.endpoints.join()));
    const writer = new EndpointWriter({
      endpoints: etcd.endpoints,
      prefix: calicoPrefix,
      ...{ dialTimeout: 1000, callTimeout: 3000, requireLeader: false },
    });
    await writer.write({
      ...{ node: 'n1', namespace: 'default', pod: 'a', containerId: 'container-1' },
      ...{ interfaceName: 'cali1', addresses: ['10.0.0.1/32'] },
    });
    writer.close();
    const child = execa(process.execPath, [example], { cwd: folder, reject: false });
    let log = '';
    child.stdout.on('data', (data: Buffer) => {
      log += data.toString();
    });
    await vi.waitFor(() => expect(log).toContain('added the route of an endpoint'), { timeout: 15_000 });
    child.kill('SIGTERM');
    const { exitCode, stderr } = await child;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const file = join(folder, 'agent.trace');
    const { head, lines } = readAgentTrace(await readFile(file, 'utf8'));
    expect(head).toMatchObject({ design: 'fenced', node: 'n1' });
    expect(lines.some((line) => 'repaired' in line && line.repaired.cali1?.includes('10.0.0.1/32'))).toBe(
      true,
    );
    allowedRun(file);
  });
});
