import { assign, createMachine, emit } from 'xstate';
import { defineSystem, type System } from '../../../src/system.ts';

/**
 * Fischer's mutual exclusion in discrete time: who finds `id` 0 writes its own number within `writeWithin` ticks, waits
 * for `waitFor` ticks, and enters if its number still stands. Safe because the wait is longer than any write.
 */
export function fischer(processes: number, writeWithin: number, waitFor: number): System {
  const process = createMachine({
    id: 'process',
    initial: 'outside',
    states: {
      outside: { on: { START: 'trying' } },
      trying: {
        on: { WRITE: { target: 'waiting', actions: emit({ type: 'wrote' }) } },
        after: { [writeWithin]: { target: 'waiting', actions: emit({ type: 'wrote' }) } },
      },
      waiting: { after: { [waitFor]: 'looking' } },
      looking: { on: { ENTER: 'inside', GIVE_UP: 'outside' } },
      inside: { on: { LEAVE: { target: 'outside', actions: emit({ type: 'cleared' }) } } },
    },
  });
  const shared = createMachine({
    types: {} as { context: { id: number }; events: { type: string; id: number } },
    id: 'shared',
    context: { id: 0 },
    on: {
      SET: { actions: assign({ id: ({ event }) => event.id }) },
      IS: { guard: ({ context, event }) => context.id === event.id, actions: assign({}) },
      IS_NOT: { guard: ({ context, event }) => context.id !== event.id, actions: assign({}) },
    },
  });
  const all = Array.from({ length: processes }, (_, index) => index + 1);
  const reads = (type: string, id: number): { to: string; event: { type: string; id: number } } => ({
    to: 'shared',
    event: { type, id },
  });
  return defineSystem({
    id: 'Fischer',
    parts: {
      shared: { machine: shared },
      ...Object.fromEntries(all.map((each) => [`p${each}`, { machine: process }])),
    },
    wiring: (from, event) => [
      { to: 'shared', event: { type: 'SET', id: event.type === 'wrote' ? Number(from.slice(1)) : 0 } },
    ],
    choices: all.flatMap((each) => {
      const to = `p${each}`;
      return [
        { id: `${to} starts`, deliver: [reads('IS', 0), { to, event: { type: 'START' } }] },
        { id: `${to} writes`, deliver: [{ to, event: { type: 'WRITE' } }] },
        { id: `${to} enters`, deliver: [reads('IS', each), { to, event: { type: 'ENTER' } }] },
        { id: `${to} gives up`, deliver: [reads('IS_NOT', each), { to, event: { type: 'GIVE_UP' } }] },
        { id: `${to} leaves`, deliver: [{ to, event: { type: 'LEAVE' } }] },
      ];
    }),
  });
}
