/**
 * The verdicts that must come out, each under the faults that it is about, so that the cause is the one named and the
 * space is small. `test/recorded-verdicts.json` holds the verdicts under the whole catalogue.
 */
import { describe, expect, test } from 'vitest';
import {
  type Design,
  type FaultId,
  findDesign,
  type Parameters,
  type Switch,
} from '../../../models/index.ts';
import { obligations } from '../../../properties/index.ts';
import { type CheckReport, check, type PropertyReport } from '../../../src/check.ts';

interface Setting {
  readonly faults?: readonly FaultId[];
  readonly strikes?: number;
  readonly endpoints?: number;
  readonly parameters?: Partial<Parameters>;
  readonly without?: Switch;
  readonly wanted?: readonly string[];
}

async function reportsOf(id: string, setting: Setting): Promise<CheckReport[]> {
  const shipped = findDesign(id) as Design;
  const design: Design = {
    ...shipped,
    switches: shipped.switches.filter((name) => name !== setting.without),
    parameters: { ...shipped.parameters, ...setting.parameters },
  };
  const options = {
    endpoints: setting.endpoints ?? 1,
    ...(setting.faults === undefined ? {} : { faults: setting.faults }),
    ...(setting.strikes === undefined ? {} : { strikes: setting.strikes }),
  };
  return Promise.all(
    obligations(design, options, setting.wanted).map(({ system, properties }) => check(system, properties)),
  );
}

async function verdictOn(id: string, property: string, setting: Setting): Promise<PropertyReport> {
  const [report] = await reportsOf(id, { ...setting, wanted: [property] });
  const verdict = report?.properties[0];
  if (verdict === undefined) throw new Error(`no verdict on ${property}`);
  return verdict;
}

const stepsOf = (report: PropertyReport): string[] =>
  (report.trace?.picks ?? []).map((pick) =>
    pick.kind === 'choice' ? pick.id : pick.kind === 'time' ? 'time' : `timer of ${pick.part}`,
  );

describe('felix-3.0.1', () => {
  test('tells the story of the report: half-open, a new pod, its grace, its route deleted', async () => {
    const report = await verdictOn('felix-3.0.1', 'no-known-route-deleted', {});
    expect(report.verdict).toBe('violated');
    expect(stepsOf(report)).toEqual([
      'connection.opened',
      'list.completed',
      'peer.vanished',
      'pod.created[1]',
      'cni.made.interface[1]',
      'cni.added.route[1]',
      'cni.wrote.endpoint[1]',
      'time',
      'timer of cleanup[1]',
      'apply.ran',
      'delete.executed[1]',
    ]);
  }, 60_000);

  test.each([
    ['with the real constants', {}],
    ['with the smallest faithful ones', { tick: 1, grace: 2, keepaliveTime: 2, keepaliveTimeout: 1 }],
  ])('never repairs the route after a half-open connection, %s', async (_name, parameters) => {
    const setting: Setting = { faults: ['half-open'], parameters };
    expect((await verdictOn('felix-3.0.1', 'no-known-route-deleted', setting)).verdict).toBe('violated');
    expect((await verdictOn('felix-3.0.1', 'route-repaired', setting)).verdict).toBe('violated');
  });

  test('deletes no known route while nothing fails', async () => {
    expect((await verdictOn('felix-3.0.1', 'no-known-route-deleted', { faults: [] })).verdict).toBe('proved');
  });
});

describe('grpc-keepalive', () => {
  test('repairs the route after a half-open connection, and still deletes it first', async () => {
    const setting: Setting = { faults: ['half-open'] };
    expect((await verdictOn('grpc-keepalive', 'route-repaired', setting)).verdict).toBe('proved');
    expect((await verdictOn('grpc-keepalive', 'no-known-route-deleted', setting)).verdict).toBe('violated');
  });

  test('needs its timers, and time itself, for the repair', async () => {
    const { needs } = await verdictOn('grpc-keepalive', 'route-repaired', { faults: ['half-open'] });
    expect(needs).toEqual(expect.arrayContaining(['timers:link', 'time', 'apply.ran']));
  });

  test('cannot see a member that is cut off from its quorum', async () => {
    expect((await verdictOn('grpc-keepalive', 'staleness-detected', { faults: ['half-open'] })).verdict).toBe(
      'proved',
    );
    const isolated = await verdictOn('grpc-keepalive', 'staleness-detected', { faults: ['isolated-member'] });
    expect(isolated.verdict).toBe('violated');
  });

  test('loses for ever what a restored store commits on its way to the resume point', async () => {
    const setting: Setting = { faults: ['backup-restored', 'interface-flapped'] };
    expect((await verdictOn('grpc-keepalive', 'route-repaired', setting)).verdict).toBe('violated');
    expect((await verdictOn('fenced', 'route-repaired', setting)).verdict).toBe('proved');
  });
});

describe('keepalive-long-grace', () => {
  test('survives one silent death, and not a second one within the grace', async () => {
    const once: Setting = { faults: ['half-open'], strikes: 1 };
    expect((await verdictOn('keepalive-long-grace', 'no-known-route-deleted', once)).verdict).toBe('proved');
    expect((await verdictOn('grpc-keepalive', 'no-known-route-deleted', once)).verdict).toBe('violated');
    const often: Setting = { faults: ['half-open'] };
    const report = await verdictOn('keepalive-long-grace', 'no-known-route-deleted', often);
    expect(report.verdict).toBe('violated');
    expect(stepsOf(report).filter((step) => step === 'peer.vanished')).toHaveLength(2);
  });
});

test.each([
  [40, 'violated'],
  [50, 'proved'],
])(
  'the law for one silent death: detection in 40 s against a grace of %d s is %s',
  async (grace, verdict) => {
    const setting: Setting = { faults: ['half-open'], strikes: 1, parameters: { grace } };
    expect((await verdictOn('keepalive-long-grace', 'no-known-route-deleted', setting)).verdict).toBe(
      verdict,
    );
  },
);

test('never-delete is safe and leaves orphans', async () => {
  const setting: Setting = { faults: ['cni-crashed', 'pod-recreated', 'half-open'] };
  expect((await verdictOn('never-delete', 'no-known-route-deleted', setting)).verdict).toBe('proved');
  expect((await verdictOn('never-delete', 'orphan-removed', setting)).verdict).toBe('violated');
});

describe('the fences', () => {
  test('a serializable read is answered by the isolated member; a linearizable one is not', async () => {
    const setting: Setting = { faults: ['isolated-member'] };
    const misled = await verdictOn('serializable-fence', 'no-known-route-deleted', setting);
    expect(misled.verdict).toBe('violated');
    expect(stepsOf(misled)).toContain('fence.misled[1]');
    expect((await verdictOn('linearizable-fence', 'no-known-route-deleted', setting)).verdict).toBe('proved');
  });

  test('an endpoint committed between the fence and the delete is what is left', async () => {
    const report = await verdictOn('linearizable-fence', 'no-known-route-deleted', {
      faults: ['cni-stalled'],
    });
    expect(report.verdict).toBe('violated');
    const steps = stepsOf(report);
    expect(steps.indexOf('fence.polled[1]')).toBeLessThan(steps.indexOf('cni.wrote.endpoint[1]'));
    expect(steps.indexOf('cni.wrote.endpoint[1]')).toBeLessThan(steps.indexOf('delete.executed[1]'));
  });
});

describe('felix-3.29, on a healthy watch', () => {
  test('deletes a known route when a pod is made again under the same name', async () => {
    const report = await verdictOn('felix-3.29', 'no-known-route-deleted', { faults: ['pod-recreated'] });
    expect(report.verdict).toBe('violated');
  });

  test('deletes a known route, and another interface’s, when an address is re-used', async () => {
    const setting: Setting = { faults: ['address-reused'] };
    expect((await verdictOn('felix-3.29', 'no-known-route-deleted', setting)).verdict).toBe('violated');
    expect(
      (await verdictOn('felix-3.29', 'no-collateral-delete', { faults: ['address-reused', 'pod-recreated'] }))
        .verdict,
    ).toBe('violated');
  });
});

test('stock-client loses what its connection carried between the watch and its backlog, by the resume rule alone', async () => {
  const setting: Setting = { faults: ['connection-reset', 'interface-flapped'] };
  const report = await verdictOn('stock-client', 'route-repaired', setting);
  expect(report.verdict).toBe('violated');
  expect(stepsOf(report)).toEqual(expect.arrayContaining(['watch.attempted', 'connection.reset']));
  expect((await verdictOn('grpc-keepalive', 'route-repaired', setting)).verdict).toBe('proved');
});

describe('fenced', () => {
  test('every property is proved under the whole catalogue', async () => {
    const reports = await reportsOf('fenced', {});
    const verdicts = reports.flatMap(({ properties }) =>
      properties.map(({ id, verdict }) => `${id}: ${verdict}`),
    );
    expect(verdicts).toHaveLength(8);
    expect(verdicts.filter((line) => !line.endsWith(': proved'))).toEqual([]);
    for (const { structure } of reports) expect(structure).toMatchObject({ deadlocks: 0, timeLocks: 0 });
  }, 60_000);

  test.each<Partial<Parameters>>([
    { probePeriod: 30, probeTimeout: 20 },
    { callDeadline: 40, retryDelay: 20 },
    { retryDelayMax: 40 },
    { tick: 5, probeTimeout: 25 },
  ])(
    'its verdicts rest on no duration: %o',
    async (parameters) => {
      const reports = await reportsOf('fenced', {
        parameters,
        faults: [
          'half-open',
          'isolated-member',
          'backup-restored',
          'pod-recreated',
          'cni-crashed',
          'agent-restarted',
        ],
      });
      const unproved = reports.flatMap(({ properties }) =>
        properties.filter(({ verdict }) => verdict !== 'proved'),
      );
      expect(unproved.map(({ id }) => id)).toEqual([]);
    },
    60_000,
  );

  test('two endpoints, under the faults that strike endpoints', async () => {
    const reports = await reportsOf('fenced', {
      endpoints: 2,
      faults: ['half-open', 'backup-restored', 'cni-crashed'],
    });
    const unproved = reports.flatMap(({ properties }) =>
      properties.filter(({ verdict }) => verdict === 'violated'),
    );
    expect(unproved).toEqual([]);
  }, 60_000);

  test('without the claim it deletes the route of a pod that a restored store has forgotten', async () => {
    const setting: Setting = {
      without: 'checksClaims',
      faults: ['backup-restored', 'pod-recreated', 'cni-crashed'],
    };
    expect((await verdictOn('fenced', 'no-forgotten-route-deleted', setting)).verdict).toBe('violated');
    expect((await verdictOn('fenced', 'no-known-route-deleted', setting)).verdict).toBe('proved');
  });
});
