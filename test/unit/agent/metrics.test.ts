import { expect, test } from 'vitest';
import { Metrics } from '../../../src/agent/metrics.ts';

const series = async ({ registry }: Metrics): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('routeproof_'));

test('all series of the counters are there from the start, at 0', async () => {
  const metrics = new Metrics(() => undefined);
  expect((await series(metrics)).filter((line) => line.includes('_total'))).toEqual([
    ...['done', 'absent', 'failed'].map(
      (outcome) => `routeproof_route_deletes_total{reason="unexpected",outcome="${outcome}"} 0`,
    ),
    'routeproof_route_repairs_total 0',
    ...['expected', 'claimed', 'unexpected', 'gone', 'failed'].map(
      (answer) => `routeproof_fences_total{answer="${answer}"} 0`,
    ),
  ]);
  const { counts } = metrics;
  counts.deleted('done');
  counts.fenced('unexpected');
  counts.repaired();
  const changed = (await series(metrics)).filter((line) => /_total.* 1$/.test(line));
  expect(changed).toEqual([
    'routeproof_route_deletes_total{reason="unexpected",outcome="done"} 1',
    'routeproof_route_repairs_total 1',
    'routeproof_fences_total{answer="unexpected"} 1',
  ]);
});

test('the help of a counter tells what each value of its label means', async () => {
  const text = await new Metrics(() => undefined).registry.metrics();
  const help = (name: string): string => new RegExp(`# HELP ${name} (.*)`).exec(text)?.[1] ?? '';
  for (const answer of ['expected', 'claimed', 'unexpected', 'gone', 'failed'])
    expect(help('routeproof_fences_total')).toContain(`${answer}: `);
  for (const outcome of ['done', 'absent', 'failed'])
    expect(help('routeproof_route_deletes_total')).toContain(`${outcome}: `);
});
