import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import { check } from '../../../src/check.ts';
import type { Property } from '../../../src/property.ts';
import { type Choice, defineSystem, type System, type SystemDefinition } from '../../../src/system.ts';

const go: Choice = { id: 'go', deliver: [{ to: 'a', event: { type: 'GO' } }] };

const system = (definition: Omit<SystemDefinition, 'id' | 'wiring'> & Partial<SystemDefinition>): System =>
  defineSystem({ id: 'structure', wiring: () => [], ...definition });

describe('a state without a step', () => {
  it('is a deadlock if some part is neither final nor at rest', async () => {
    const machine = createMachine({ id: 'a', initial: 'x', states: { x: { on: { GO: 'y' } }, y: {} } });
    const { structure } = await check(system({ parts: { a: { machine } }, choices: [go] }), []);
    expect(structure).toEqual({
      restStates: 0,
      deadlocks: 1,
      timeLocks: 0,
      deadlockTrace: { system: 'structure', property: 'deadlock', picks: [{ kind: 'choice', id: 'go' }] },
    });
  });

  it('is at rest if every part is final or carries the tag', async () => {
    const a = createMachine({
      id: 'a',
      initial: 'x',
      states: { x: { on: { GO: 'y' } }, y: { type: 'final' } },
    });
    const b = createMachine({ id: 'b', initial: 'idle', states: { idle: { tags: ['rest'] } } });
    const { structure } = await check(
      system({ parts: { a: { machine: a }, b: { machine: b } }, choices: [go] }),
      [],
    );
    expect(structure).toEqual({ restStates: 1, deadlocks: 0, timeLocks: 0 });
  });
});

describe('a time-lock', () => {
  /** After GO, an urgent choice is offered for ever, so that the timer never comes due. */
  const endless = createMachine({
    id: 'a',
    initial: 'x',
    states: {
      x: { on: { GO: 'y' } },
      y: { on: { SPIN: 'z' }, after: { 5: 'x' } },
      z: { on: { SPIN: 'y' }, after: { 5: 'x' } },
    },
  });
  const spin: Choice = { id: 'spin', urgent: true, deliver: [{ to: 'a', event: { type: 'SPIN' } }] };

  it('is a state from which time never passes again, though a timer runs', async () => {
    const { structure } = await check(
      system({ parts: { a: { machine: endless } }, choices: [go, spin] }),
      [],
    );
    expect(structure).toMatchObject({
      timeLocks: 2,
      timeLockTrace: { picks: [{ kind: 'choice', id: 'go' }] },
    });
  });

  it('is none if some step leads on to where time passes', async () => {
    const stop: Choice = { id: 'escape', deliver: [{ to: 'b', event: { type: 'STOP' } }] };
    const b = createMachine({
      id: 'b',
      initial: 'on',
      states: { on: { on: { SPIN: 'on', STOP: 'off' } }, off: {} },
    });
    const both: Choice = { ...spin, deliver: [...spin.deliver, { to: 'b', event: { type: 'SPIN' } }] };
    const report = await check(
      system({ parts: { a: { machine: endless }, b: { machine: b } }, choices: [go, both, stop] }),
      [],
    );
    expect(report.structure.timeLocks).toBe(0);
  });
});

describe('parts of one component', () => {
  /** Of two messengers, the first hears of it last; which of them reaches the listener first? */
  const firstHeard = async (components: Record<string, string[]>): Promise<string> => {
    const speaker = createMachine({
      id: 'speaker',
      on: { GO: { actions: [emit({ type: 'told far' }), emit({ type: 'told near' })] } },
    });
    const messenger = createMachine({
      id: 'messenger',
      on: { TELL: { actions: emit({ type: 'passed on' }) } },
    });
    const listener = createMachine({
      id: 'listener',
      initial: 'waiting',
      states: { waiting: { on: { FAR: 'far', NEAR: 'near' } }, far: {}, near: {} },
    });
    const heard: Property = {
      id: 'far is first',
      says: '',
      violation: '',
      kind: 'invariant',
      witnesses: [],
      clauses: [{ reads: ['listener'], holds: (at) => at('listener').value !== 'near' }],
    };
    const definition = system({
      parts: {
        a: { machine: speaker },
        far: { machine: messenger },
        near: { machine: messenger },
        listener: { machine: listener },
      },
      components,
      wiring: (from, event) =>
        event.type === 'passed on'
          ? [{ to: 'listener', event: { type: from.toUpperCase() } }]
          : [{ to: event.type.replace('told ', ''), event: { type: 'TELL' } }],
      choices: [go],
    });
    const { properties } = await check(definition, [heard]);
    return properties[0]?.verdict === 'proved' ? 'far' : 'near';
  };

  it('settle among themselves before anything they say leaves it', async () => {
    expect(await firstHeard({})).toBe('far');
    expect(await firstHeard({ all: ['a', 'far', 'near', 'listener'] })).toBe('far');
    expect(await firstHeard({ close: ['a', 'near'] })).toBe('near');
  });
});

describe('what machines emit on their way into their first states', () => {
  it('is delivered before the first step, from part to part', async () => {
    const greeter = createMachine({ id: 'greeter', entry: emit({ type: 'hello' }) });
    const relay = createMachine({ id: 'relay', on: { HEAR: { actions: emit({ type: 'hello' }) } } });
    const sleeper = createMachine({
      id: 'sleeper',
      initial: 'asleep',
      states: { asleep: { on: { HEAR: 'awake' } }, awake: { tags: ['rest'] } },
    });
    const hears: Record<string, string> = { greeter: 'first', first: 'second', second: 'sleeper' };
    const report = await check(
      system({
        parts: {
          greeter: { machine: greeter },
          first: { machine: relay },
          second: { machine: relay },
          sleeper: { machine: sleeper },
        },
        wiring: (from) => [{ to: hears[from] ?? '', event: { type: 'HEAR' } }],
        choices: [],
      }),
      [
        {
          id: 'awake',
          says: '',
          violation: '',
          kind: 'invariant',
          witnesses: [],
          clauses: [{ reads: ['sleeper'], holds: (at) => at('sleeper').value === 'awake' }],
        },
      ],
    );
    expect(report.properties[0]?.verdict).toBe('proved');
    expect(report.states).toBe(1);
    expect(report.uncovered).toEqual([]);
  });
});

describe('time', () => {
  const slow = createMachine({
    id: 'a',
    initial: 'x',
    states: { x: { after: { 3: 'y' } }, y: { tags: ['rest'] } },
  });

  it('passes tick by tick and stands still while a timer is due', async () => {
    const report = await check(system({ parts: { a: { machine: slow } }, choices: [] }), []);
    expect(report).toMatchObject({ states: 5, edges: 4, depth: 4, structure: { restStates: 1 } });
  });

  it('runs on for a paused process, whose timer fires late', async () => {
    const agent = createMachine({
      id: 'agent',
      initial: 'running',
      states: {
        running: { on: { PAUSE: 'paused' } },
        paused: { tags: ['paused'], on: { RESUME: 'done' } },
        done: {},
      },
    });
    const clock = createMachine({
      id: 'clock',
      initial: 'ticking',
      states: { ticking: { after: { 5: 'over' } }, over: {} },
    });
    const report = await check(
      system({
        parts: {
          a: { machine: slow, process: 'agent' },
          agent: { machine: agent },
          clock: { machine: clock },
        },
        processes: { agent: { part: 'agent', pausedTag: 'paused' } },
        choices: [
          { id: 'pause', deliver: [{ to: 'agent', event: { type: 'PAUSE' } }] },
          { id: 'resume', deliver: [{ to: 'agent', event: { type: 'RESUME' } }] },
        ],
      }),
      [
        {
          id: 'in-time',
          says: 'the slow part is done before the clock is over',
          violation: 'the clock was first',
          kind: 'invariant',
          witnesses: [],
          clauses: [
            { reads: ['a', 'clock'], holds: (at) => at('clock').value !== 'over' || at('a').value === 'y' },
          ],
        },
      ],
    );
    const picks = report.properties[0]?.trace?.picks ?? [];
    expect(picks.map((pick) => (pick.kind === 'choice' ? pick.id : pick.kind))).toEqual([
      'pause',
      'time',
      'time',
      'time',
      'time',
      'time',
      'timer',
    ]);
  });
});
