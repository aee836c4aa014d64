/** Small systems that the exports are tried on. */
import { emit, setup } from 'xstate';
import { check } from '../../../src/check.ts';
import type { ExportFormat, ExportOptions } from '../../../src/export/export.ts';
import { exportSystem } from '../../../src/export/export.ts';
import { defineSystem, type System } from '../../../src/system.ts';

const door = setup({ delays: { holdOpen: 3 } }).createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: { tags: 'rest', on: { 'button.pressed': 'open' } },
    open: { after: { holdOpen: { target: 'shut', actions: emit({ type: 'door.shut' }) } } },
  },
});

const lift = setup({}).createMachine({
  id: 'lift',
  initial: 'waiting',
  states: {
    waiting: { tags: 'rest', on: { 'door.shut': 'moving' } },
    moving: { on: { 'floor.reached': 'waiting' } },
  },
});

/** A door that tells a lift when it has shut. */
export const house: System = defineSystem({
  id: 'house',
  parts: { door: { machine: door }, lift: { machine: lift } },
  wiring: (_from, event) => (event.type === 'door.shut' ? [{ to: 'lift', event }] : []),
  choices: [
    { id: 'press', deliver: [{ to: 'door', event: { type: 'button.pressed' } }] },
    { id: 'arrive', deliver: [{ to: 'lift', event: { type: 'floor.reached' } }] },
  ],
});

const host = setup({}).createMachine({
  id: 'host',
  initial: 'awake',
  states: {
    awake: { on: { 'lid.shut': 'asleep' } },
    asleep: { tags: 'asleep', on: { 'lid.opened': 'awake' } },
  },
});

const asker = setup({}).createMachine({
  id: 'asker',
  initial: 'idle',
  states: {
    idle: { on: { go: { target: 'asking', actions: emit({ type: 'asked' }) } } },
    asking: { on: { answered: 'done' }, after: { 2: 'idle' } },
    done: { on: { noted: 'idle' }, after: { 1: 'idle' } },
  },
});

const answerer = setup({}).createMachine({
  id: 'answerer',
  initial: 'free',
  states: {
    free: { on: { asked: [{ target: 'busy', actions: emit({ type: 'heard' }) }] } },
    busy: { on: { finish: { target: 'free', actions: emit({ type: 'answered' }) } }, after: { 1: 'late' } },
    late: { on: { finish: 'free' } },
  },
});

/** Timers, an urgent choice, a choice of several parts, a process that is paused, and talk in both directions. */
export const office: System = defineSystem({
  id: 'office "upstairs"',
  parts: {
    'host/1': { machine: host },
    asker: { machine: asker },
    answerer: { machine: answerer, process: 'work' },
    clerk: { machine: asker },
  },
  wiring: (from, event) => {
    if (event.type === 'asked') return [{ to: 'answerer', event }];
    if (event.type === 'heard') return [{ to: 'clerk', event: { type: 'go' } }];
    if (event.type === 'answered' && from === 'answerer')
      return [
        { to: 'asker', event },
        { to: 'clerk', event },
      ];
    return [];
  },
  choices: [
    { id: 'shut', says: 'the lid */ is "shut"', deliver: [{ to: 'host/1', event: { type: 'lid.shut' } }] },
    { id: 'open', deliver: [{ to: 'host/1', event: { type: 'lid.opened' } }] },
    { id: 'go', deliver: [{ to: 'asker', event: { type: 'go' } }] },
    { id: 'finish', urgent: true, deliver: [{ to: 'answerer', event: { type: 'finish' } }] },
    {
      id: 'note both',
      deliver: [
        { to: 'asker', event: { type: 'noted' } },
        { to: 'clerk', event: { type: 'noted' } },
      ],
    },
  ],
  processes: { work: { part: 'host/1', pausedTag: 'asleep' } },
});

/** The text of an export. */
export async function textOf(system: System, format: ExportFormat, options?: ExportOptions): Promise<string> {
  let text = '';
  for await (const piece of exportSystem(system, format, options)) text += piece;
  return text;
}

/** How many states and edges the checker finds. */
export async function countsOf(system: System): Promise<{ states: number; edges: number }> {
  const { states, edges } = await check(system, []);
  return { states, edges };
}
