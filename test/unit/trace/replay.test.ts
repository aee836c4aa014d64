import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import { World } from '../../../src/semantics/world.ts';
import { defineSystem, SystemError } from '../../../src/system.ts';
import { Player, replay, stateKey } from '../../../src/trace/replay.ts';
import { randomSystem } from '../explore/random-systems.ts';

const door = defineSystem({
  id: 'door',
  parts: {
    door: {
      machine: createMachine({
        id: 'door',
        initial: 'shut',
        states: {
          shut: { on: { OPEN: { target: 'open', actions: emit({ type: 'creaked' }) } } },
          open: { after: { 2: 'shut' } },
        },
      }),
    },
    cat: {
      machine: createMachine({
        id: 'cat',
        initial: 'asleep',
        states: { asleep: { on: { WAKE: 'up' } }, up: {} },
      }),
    },
  },
  wiring: () => [{ to: 'cat', event: { type: 'WAKE' } }],
  choices: [{ id: 'open', deliver: [{ to: 'door', event: { type: 'OPEN' } }] }],
});

describe('replay', () => {
  it('tells snapshots, timers and emissions of each step', () => {
    const timer = 'xstate.after.2.door.open';
    const { initial, steps } = replay(door, [
      { kind: 'choice', id: 'open' },
      { kind: 'time' },
      { kind: 'time' },
      { kind: 'timer', part: 'door', timer },
    ]);
    expect(initial.snapshots.map(({ value }) => value)).toEqual(['shut', 'asleep']);
    expect(steps.map(({ after }) => after.snapshots.map(({ value }) => value))).toEqual([
      ['open', 'up'],
      ['open', 'up'],
      ['open', 'up'],
      ['shut', 'up'],
    ]);
    expect(steps.map(({ after }) => after.timers[0]?.map(({ remaining }) => remaining))).toEqual([
      [2],
      [1],
      [0],
      [],
    ]);
    expect(steps.map(({ emissions }) => emissions)).toEqual([
      [{ part: 'door', event: { type: 'creaked' } }],
      [],
      [],
      [],
    ]);
  });

  it('stops at the first pick that is not offered, and says what is', () => {
    const picks = [{ kind: 'choice', id: 'open' } as const, { kind: 'choice', id: 'open' } as const];
    expect(() => replay(door, picks)).toThrow(SystemError);
    expect(() => replay(door, picks)).toThrow(
      "system 'door', step 2 of 2: 'open' is not offered there. Offered are time.",
    );
  });

  it('makes the same steps as the reference semantics, on machines as they were written', () => {
    fc.assert(
      fc.property(randomSystem, fc.array(fc.nat(100), { maxLength: 12 }), (system, draws) => {
        let world: World;
        let player: Player;
        try {
          world = new World(system);
          player = new Player(system);
        } catch (error) {
          expect(error).toBeInstanceOf(SystemError);
          return;
        }
        let state = world.initial;
        let played = player.initial;
        for (const draw of draws) {
          let step: ReturnType<World['step']>;
          try {
            const picks = world.picks(state);
            const pick = picks[draw % Math.max(1, picks.length)];
            expect(player.picks(played)).toEqual(picks);
            if (pick === undefined) return;
            step = world.step(state, pick);
          } catch (error) {
            // Parts that never stop talking: plain XState finds the same, in the same state.
            if (!(error instanceof SystemError)) throw error;
            expect(() => player.picks(played).map((pick) => player.step(played, pick))).toThrow(SystemError);
            return;
          }
          const { after, emissions } = player.step(played, step.pick);
          expect(emissions).toEqual(step.emissions);
          expect(stateKey(after)).toBe(
            stateKey({
              snapshots: system.parts.map((part) => world.snapshot(step.next, part)),
              timers: system.parts.map(
                (part) => world.space(part).state(step.next[part.index] as number).timers,
              ),
            }),
          );
          state = step.next;
          played = after;
        }
      }),
      { numRuns: 200 },
    );
  }, 30_000);
});
