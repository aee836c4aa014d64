/**
 * Code for one system: all steps of a state that is one word, with every column, shift and mask in its place. The
 * engine's own loops do the same; but they look each of them up anew for every step, and that is most of what they do.
 *
 * The code knows only local states that have been described, steps that have been made, and components that only listen.
 * Everything else it hands back.
 */
import type { Layout } from './layout.ts';
import { described, type Offers, restless, running } from './offers.ts';
import { timePick } from './picks.ts';
import type { Listener } from './scripts.ts';
import type { Steps } from './steps.ts';

/** What the code reads and writes besides its arguments. */
interface Results {
  words: Int32Array;
  picks: Int32Array;
  count: number;
  steps: number;
  mayRest: boolean;
  hasRunning: boolean;
  timed: boolean;
  offersTime: boolean;
  readonly locals: Int32Array;
  /** Makes the step of a choice that the code cannot make. @returns whether it would change the state */
  takeSlowly(choice: number, state: number): boolean;
  /** Makes the steps of the timers that are due. @returns whether any was */
  fireSlowly(state: number): boolean;
  /** Lets time pass where some tick has not been made before. */
  tickSlowly(state: number): void;
}

/**
 * Appends the results of a state's steps, for whose choices and tick there must be room.
 *
 * @param offered - the choices that have been offered, as bits: to be added to
 * @returns false, and has done nothing, if some local state has not been described
 */
export type ExpandWord = (results: Results, state: number, offered: Int32Array) => boolean;

/**
 * Writes the code.
 *
 * @param listeners - for each choice that several components take: who hears it
 * @returns undefined where code may not be made from text
 */
export function writeExpandWord(
  steps: Steps,
  offers: Offers,
  layout: Layout,
  listeners: (choice: number) => readonly Listener[],
): ExpandWord | undefined {
  const columns: Int32Array[] = [];
  /** Gives a column a name in the code. */
  const name = (column: Int32Array): string => `t${columns.push(column) - 1}`;
  const moves = (choice: number, component: number): { component: number; next: Int32Array }[] =>
    component >= 0
      ? [{ component, next: steps.choices[choice] as Int32Array }]
      : listeners(choice).map(({ component: each, next }) => ({ component: each, next }));
  const shift = (component: number): number => layout.shiftOf[component] as number;
  const cases = [...steps.componentOfChoice].map((component, choice) => {
    const all = moves(choice, component);
    const isUrgent = (((offers.urgent[choice >> 5] as number) >>> (choice & 31)) & 1) === 1;
    const change = all.map((move, each) => `((l${move.component} ^ to${each}) << ${shift(move.component)})`);
    return `case ${choice}: {
      ${all.map((move, each) => `const to${each} = ${name(move.next)}[l${move.component}];`).join(' ')}
      if (${all.map((_, each) => `to${each} >= 0`).join(' && ')}) {
        next = state ^ ${change.join(' ^ ')};
        ${isUrgent ? 'if (next !== state) urgent = true;' : ''}
        break;
      }
      results.count = count; results.steps = steps;
      ${isUrgent ? 'if (results.takeSlowly(' : 'results.takeSlowly('}${choice}, state)${isUrgent ? ') urgent = true' : ''};
      count = results.count; steps = results.steps; words = results.words; picks = results.picks;
      continue;
    }`;
  });
  const components = Array.from({ length: layout.wordOf.length }, (_, each) => each);
  const rows = components.map((each) => name(offers.rows[each] as Int32Array));
  /** A word of the components' rows, put together. */
  const gathered = (word: number, by: '|' | '&'): string =>
    `(${components.map((each) => `${rows[each]}[r${each} + ${word}]`).join(` ${by} `)})`;
  const words = Array.from({ length: offers.choiceWords }, (_, each) => each);
  const partWords = Array.from({ length: offers.partWords }, (_, each) => 1 + offers.choiceWords + each);
  const ticks = components.map((each) => name(steps.ticks[each] as Int32Array));
  const body = `'use strict';
    const [${columns.map((_, each) => `t${each}`).join(', ')}] = columns;
    return function expandWord(results, state, offeredEver) {
      ${components
        .map(
          (each) =>
            `const l${each} = (state >>> ${shift(each)}) & ${layout.maskOf[each]}, r${each} = l${each} * ${offers.stride};`,
        )
        .join('\n')}
      if ((${gathered(0, '&')} & ${described}) === 0) return false;
      const flags = ${gathered(0, '|')};
      const { locals } = results;
      ${components.map((each) => `locals[${each}] = l${each};`).join(' ')}
      let words = results.words, picks = results.picks, count = results.count, steps = 0, urgent = false;
      ${words
        .map(
          (word) => `const offered${word} = ${offers.all[word]} & ~${gathered(1 + word, '|')};
      offeredEver[${word}] |= offered${word};
      for (let offered = offered${word}; offered !== 0; offered &= offered - 1) {
        const choice = ${word << 5} + 31 - Math.clz32(offered & -offered);
        let next = 0;
        switch (choice) { ${cases.slice(word << 5, (word + 1) << 5).join('\n')} }
        steps += 1;
        words[count] = next; picks[count] = choice;
        if (next !== state) count += 1;
      }`,
        )
        .join('\n')}
      results.count = count; results.steps = steps;
      const isDue = ${partWords.map((word) => `(${gathered(word, '|')} & ~${gathered(word + offers.partWords, '|')})`).join(' | ')};
      const due = isDue !== 0 && results.fireSlowly(state);
      const hasRunning = (flags & ${running}) !== 0;
      results.mayRest = (flags & ${restless}) === 0;
      results.hasRunning = hasRunning;
      results.timed = hasRunning || due;
      const offersTime = hasRunning && !due && !urgent;
      results.offersTime = offersTime;
      if (!offersTime) return true;
      ${components.map((each) => `const k${each} = ${ticks[each]}[l${each}];`).join(' ')}
      if (${components.map((each) => `k${each} >= 0`).join(' && ')}) {
        const next = state ^ ${components.map((each) => `((l${each} ^ k${each}) << ${shift(each)})`).join(' ^ ')};
        results.steps = steps + 1;
        words[count] = next; picks[count] = ${timePick};
        if (next !== state) results.count = count + 1;
      } else results.tickSlowly(state);
      return true;
    };`;
  try {
    // The text is made of numbers only.
    return new Function('columns', body)(columns) as ExpandWord;
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}
