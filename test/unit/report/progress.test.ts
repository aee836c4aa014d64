import { expect, test } from 'vitest';
import { searchProgress, startProgress } from '../../../src/report/progress.ts';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 20, written, write: (text: string) => written.push(text) };
}

test('rewrites one line on a terminal, from its second second on', () => {
  const stream = terminal(true);
  let now = 0;
  const progress = startProgress(stream, () => now);
  now = 999;
  progress.show('too early');
  now = 1_000;
  progress.show('a line that is longer than the terminal');
  progress.clear();
  progress.clear();
  expect(stream.written).toEqual(['\r\u001B[Ka line that is long', '\r\u001B[K']);
});

test('stays quiet where there is no terminal', () => {
  const stream = terminal(false);
  let now = 0;
  const progress = startProgress(stream, () => now);
  now = 60_000;
  progress.show('nobody reads this');
  progress.clear();
  expect(stream.written).toEqual([]);
});

test('tells states, speed and depth', () => {
  const progress = { states: 1_234_567, statesPerSecond: 500_000, depth: 12, frontier: 3 };
  expect(searchProgress('fenced', { ...progress, phase: 'search' })).toBe(
    'fenced · 1,234,567 states · 500,000/s · depth 12',
  );
  expect(searchProgress('fenced', { ...progress, phase: 'liveness' })).toContain('fenced · liveness · ');
});
