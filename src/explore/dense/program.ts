/**
 * A closed system as plain data: numbers in arrays, and nothing that could not be handed to another thread.
 *
 * An entry is where a step leads: a local state (0 or more), {@link unknownStep}, or below that the number of a step
 * that speaks to other components or has an effect that is judged, as in `Steps`.
 */
import type { Closure } from '../closure.ts';
import type { Engine } from '../engine.ts';
import type { JudgedEffect } from '../judge.ts';
import { unknownStep } from '../steps.ts';

/** A step with consequences outside its component. */
export interface ProgramFarStep {
  readonly next: number;
  /** The deliveries that leave the component, in order. */
  readonly outgoing: readonly number[];
  /** What is judged of it: numbers of effects. */
  readonly effects: readonly number[];
  /** How many events its parts received. */
  readonly received: number;
}

/** A timer that is due in a local state. */
interface ProgramTimer {
  readonly part: number;
  readonly pick: number;
  readonly entry: number;
}

/** A closed system. */
export interface Program {
  /** The first state: a local state for each component. */
  readonly initial: readonly number[];
  /** For each component, how many local states it has. */
  readonly sizes: readonly number[];
  /** For each component, its rows of offers: flags, blocked choices, parts with a due timer, paused parts. */
  readonly rows: readonly Int32Array[];
  readonly stride: number;
  readonly choiceWords: number;
  readonly partWords: number;
  /** The choices that exist, and the urgent ones, as bits. */
  readonly all: Int32Array;
  readonly urgent: Int32Array;
  /** For each choice: its component, or -1 if it delivers to several. */
  readonly componentOfChoice: Int32Array;
  /** For each choice that delivers to one component: where it leads from each local state. */
  readonly choices: readonly Int32Array[];
  /** For each other choice: its deliveries. */
  readonly joint: readonly (readonly number[])[];
  /** For each delivery: its component, */
  readonly componentOfDelivery: Int32Array;
  /** and where it leads from each local state. */
  readonly deliveries: readonly Int32Array[];
  /** For each component and local state: the timers that are due. */
  readonly due: readonly (readonly (readonly ProgramTimer[])[])[];
  /** For each component: where a tick leads. */
  readonly ticks: readonly Int32Array[];
  readonly far: readonly ProgramFarStep[];
  /** For each part: its component. */
  readonly componentOfPart: Int32Array;
}

/** Writes a closed system down. @returns the program, and the effects that its numbers mean */
export function programOf(
  engine: Engine,
  { steps, sizes }: Closure,
): { program: Program; effects: readonly JudgedEffect[] } {
  const { offers, deliveries, world } = engine;
  const effects: JudgedEffect[] = [];
  const numbers = new Map<JudgedEffect, number>();
  const numberOf = (effect: JudgedEffect): number => {
    const number = numbers.get(effect) ?? effects.push(effect) - 1;
    numbers.set(effect, number);
    return number;
  };
  const program: Program = {
    initial: engine.initial,
    sizes,
    rows: offers.rows,
    stride: offers.stride,
    choiceWords: offers.choiceWords,
    partWords: offers.partWords,
    all: offers.all,
    urgent: offers.urgent,
    componentOfChoice: steps.componentOfChoice,
    choices: steps.choices,
    joint: steps.joint,
    componentOfDelivery: Int32Array.from({ length: deliveries.size }, (_, each) =>
      deliveries.component(each),
    ),
    deliveries: Array.from({ length: deliveries.size }, (_, each) => {
      const size = sizes[deliveries.component(each)] as number;
      return Int32Array.from({ length: size }, (__, local) => steps.known(each, local));
    }),
    due: sizes.map((size, component) =>
      Array.from({ length: size }, (_, local) =>
        steps.dueTimers(component, local).map(({ part, pick, entry }) => ({ part, pick, entry })),
      ),
    ),
    ticks: steps.ticks,
    far: steps.allFar().map(({ next, outgoing, received, effects: judged }) => ({
      next,
      outgoing,
      received,
      effects: judged.map(numberOf),
    })),
    componentOfPart: Int32Array.from(world.system.parts, ({ component }) => component),
  };
  return { program, effects };
}

/** The step behind an entry below {@link unknownStep}. */
export function farStep({ far }: Program, entry: number): ProgramFarStep {
  const step = far[unknownStep - 1 - entry];
  if (step === undefined) throw new Error(`internal error: the closure does not know step ${entry}`);
  return step;
}
