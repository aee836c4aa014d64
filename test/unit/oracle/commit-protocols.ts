import { assign, createMachine, emit } from 'xstate';
import { type Choice, defineSystem, type System } from '../../../src/system.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Transaction commit: what any protocol for it may do (Gray and Lamport, "Consensus on Transaction Commit"). */
export function transactionCommit(managers: number): System {
  const manager = createMachine({
    id: 'manager',
    initial: 'working',
    states: {
      working: { on: { PREPARE: 'prepared', ABORT: 'aborted', NOT_COMMITTED: 'working' } },
      prepared: {
        on: { COMMIT: 'committed', ABORT: 'aborted', READY: 'prepared', NOT_COMMITTED: 'prepared' },
      },
      committed: { on: { READY: 'committed' } },
      aborted: { on: { NOT_COMMITTED: 'aborted' } },
    },
  });
  const all = numbers(managers);
  const joint = (own: string, own_type: string, others: string): Choice => ({
    id: `${own_type} ${own}`,
    deliver: all.map((each) => ({
      to: `rm${each}`,
      event: { type: `rm${each}` === own ? own_type : others },
    })),
  });
  return defineSystem({
    id: 'transaction commit',
    parts: Object.fromEntries(all.map((each) => [`rm${each}`, { machine: manager }])),
    wiring: () => [],
    choices: all.flatMap((each) => [
      { id: `PREPARE rm${each}`, deliver: [{ to: `rm${each}`, event: { type: 'PREPARE' } }] },
      joint(`rm${each}`, 'COMMIT', 'READY'),
      joint(`rm${each}`, 'ABORT', 'NOT_COMMITTED'),
    ]),
  });
}

/** Two-phase commit (the same authors): a manager's message once sent can be received for ever. */
export function twoPhaseCommit(managers: number): System {
  const all = numbers(managers);
  const manager = createMachine({
    id: 'manager',
    initial: 'working',
    on: { COMMIT: '.committed', ABORT: '.aborted' },
    states: {
      working: {
        on: { PREPARE: { target: 'prepared', actions: emit({ type: 'prepared' }) }, GIVE_UP: 'aborted' },
      },
      prepared: {},
      committed: {},
      aborted: {},
    },
  });
  const coordinator = createMachine({
    types: {} as { context: { prepared: boolean[] }; events: { type: string; manager?: number } },
    id: 'coordinator',
    context: { prepared: all.map(() => false) },
    initial: 'deciding',
    states: {
      deciding: {
        on: {
          PREPARED: {
            actions: assign({
              prepared: ({ context, event }) =>
                context.prepared.map((each, place) => each || place === event.manager),
            }),
          },
          COMMIT: {
            guard: ({ context }) => context.prepared.every((each) => each),
            target: 'committed',
            actions: emit({ type: 'decided', what: 'COMMIT' }),
          },
          ABORT: { target: 'aborted', actions: emit({ type: 'decided', what: 'ABORT' }) },
        },
      },
      committed: {},
      aborted: {},
    },
  });
  const message = createMachine({
    id: 'message',
    initial: 'unsent',
    states: { unsent: { on: { SEND: 'sent' } }, sent: { on: { RECEIVE: 'sent', SEND: 'sent' } } },
  });
  const receive = (from: string, to: string, event: { type: string; manager?: number }): Choice => ({
    id: `${to} receives ${from}`,
    deliver: [
      { to: from, event: { type: 'RECEIVE' } },
      { to, event },
    ],
  });
  return defineSystem({
    id: 'two-phase commit',
    parts: {
      tm: { machine: coordinator },
      COMMIT: { machine: message },
      ABORT: { machine: message },
      ...Object.fromEntries(all.map((each) => [`rm${each}`, { machine: manager }])),
      ...Object.fromEntries(all.map((each) => [`vote${each}`, { machine: message }])),
    },
    wiring: (from, event) => {
      const to =
        event.type === 'decided'
          ? ((event as { type: string; what?: string }).what ?? '')
          : from.replace('rm', 'vote');
      return [{ to, event: { type: 'SEND' } }];
    },
    choices: [
      { id: 'commit', deliver: [{ to: 'tm', event: { type: 'COMMIT' } }] },
      { id: 'abort', deliver: [{ to: 'tm', event: { type: 'ABORT' } }] },
      ...all.flatMap((each) => [
        receive(`vote${each}`, 'tm', { type: 'PREPARED', manager: each }),
        { id: `rm${each} prepares`, deliver: [{ to: `rm${each}`, event: { type: 'PREPARE' } }] },
        { id: `rm${each} gives up`, deliver: [{ to: `rm${each}`, event: { type: 'GIVE_UP' } }] },
        receive('COMMIT', `rm${each}`, { type: 'COMMIT' }),
        receive('ABORT', `rm${each}`, { type: 'ABORT' }),
      ]),
    ],
  });
}

/**
 * The same protocol with what the coordinator has heard kept beside each manager, so that a manager, its vote and the
 * coordinator's note of it are one component, and all managers can change places.
 */
export function twoPhaseCommitOfEquals(managers: number): System {
  const all = numbers(managers);
  const manager = createMachine({
    id: 'manager',
    initial: 'working',
    on: { COMMIT: '.committed', ABORT: '.aborted' },
    states: {
      working: {
        on: { PREPARE: { target: 'prepared', actions: emit({ type: 'prepared' }) }, GIVE_UP: 'aborted' },
      },
      prepared: {},
      committed: {},
      aborted: {},
    },
  });
  const message = createMachine({
    id: 'message',
    initial: 'unsent',
    states: { unsent: { on: { SEND: 'sent' } }, sent: { on: { RECEIVE: 'sent', SEND: 'sent' } } },
  });
  const note = createMachine({
    id: 'note',
    initial: 'waiting',
    states: { waiting: { on: { HEARD: 'heard' } }, heard: { on: { HEARD: 'heard', DECIDE: 'heard' } } },
  });
  const coordinator = createMachine({
    id: 'coordinator',
    initial: 'deciding',
    states: {
      deciding: {
        on: {
          LISTEN: 'deciding',
          COMMIT: { target: 'decided', actions: emit({ type: 'COMMIT' }) },
          ABORT: { target: 'decided', actions: emit({ type: 'ABORT' }) },
        },
      },
      decided: {},
    },
  });
  const to = (part: string, type: string) => ({ to: part, event: { type } });
  return defineSystem({
    id: 'two-phase commit of equals',
    parts: {
      tm: { machine: coordinator },
      COMMIT: { machine: message },
      ABORT: { machine: message },
      ...Object.fromEntries(
        all.flatMap((each) => [
          [`rm${each}`, { machine: manager }],
          [`vote${each}`, { machine: message }],
          [`note${each}`, { machine: note }],
        ]),
      ),
    },
    components: Object.fromEntries(
      all.map((each) => [`manager${each}`, [`rm${each}`, `vote${each}`, `note${each}`]]),
    ),
    wiring: (from, event) => [
      to(event.type === 'prepared' ? from.replace('rm', 'vote') : event.type, 'SEND'),
    ],
    choices: [
      { id: 'commit', deliver: [to('tm', 'COMMIT'), ...all.map((each) => to(`note${each}`, 'DECIDE'))] },
      { id: 'abort', deliver: [to('tm', 'ABORT')] },
      ...all.flatMap((each): Choice[] => [
        {
          id: `tm hears rm${each}`,
          deliver: [to('tm', 'LISTEN'), to(`vote${each}`, 'RECEIVE'), to(`note${each}`, 'HEARD')],
        },
        { id: `rm${each} prepares`, deliver: [to(`rm${each}`, 'PREPARE')] },
        { id: `rm${each} gives up`, deliver: [to(`rm${each}`, 'GIVE_UP')] },
        { id: `rm${each} is told to commit`, deliver: [to('COMMIT', 'RECEIVE'), to(`rm${each}`, 'COMMIT')] },
        { id: `rm${each} is told to abort`, deliver: [to('ABORT', 'RECEIVE'), to(`rm${each}`, 'ABORT')] },
      ]),
    ],
  });
}
