/** XState's own graph module on a machine that both can finish: five counters to ten, 100,000 states. */
import { type AnyStateMachine, createMachine } from 'xstate';
import { getAdjacencyMap } from 'xstate/graph';
import { defineSystem, type System } from '../../src/system.ts';

const counters = Array.from({ length: 5 }, (_, index) => index);
const steps = Array.from({ length: 10 }, (_, index) => index);

/** A counter that one event moves on, and that begins anew at its end. */
function counter(index: number) {
  return {
    initial: 's0',
    states: Object.fromEntries(
      steps.map((step) => [`s${step}`, { on: { [`up${index}`]: `s${(step + 1) % steps.length}` } }]),
    ),
  };
}

/** The counters as the regions of one machine. */
const oneMachine = (): AnyStateMachine =>
  createMachine({
    type: 'parallel',
    states: Object.fromEntries(counters.map((index) => [`counter${index}`, counter(index)])),
  }) as unknown as AnyStateMachine;

/** The counters as the parts of a system. */
export const counterSystem = (): System =>
  defineSystem({
    id: 'counters',
    parts: Object.fromEntries(
      counters.map((index) => [
        `counter${index}`,
        { machine: createMachine(counter(index)) as unknown as AnyStateMachine },
      ]),
    ),
    wiring: () => [],
    choices: counters.map((index) => ({
      id: `up${index}`,
      deliver: [{ to: `counter${index}`, event: { type: `up${index}` } }],
    })),
  });

/** Makes the machine's whole graph. */
export function graphOfCounters(): { states: number; seconds: number } {
  const start = performance.now();
  const events = counters.map((index) => ({ type: `up${index}` }));
  const graph = getAdjacencyMap(oneMachine(), { events, limit: Number.POSITIVE_INFINITY });
  return { states: Object.keys(graph).length, seconds: (performance.now() - start) / 1000 };
}
