/**
 * Code for one system: the choices of a state that is one word, with every column, shift and mask in its place. The
 * engine's own loop does the same; but it looks each of them up anew for every step, and that is most of what it does.
 *
 * The code knows only steps that have been made and components that only listen. Everything else it hands back.
 */
import type { Layout } from './layout.ts';
import type { Offers } from './offers.ts';
import type { Listener } from './scripts.ts';
import type { Steps } from './steps.ts';

/** What the code reads and writes besides its arguments. */
interface Results {
  words: Int32Array;
  picks: Int32Array;
  count: number;
  steps: number;
  /** Makes the step of a choice that the code cannot make. @returns whether it would change the state */
  takeSlowly(choice: number, state: number): boolean;
}

/**
 * Appends the results of a state's choices, for which there must be room.
 *
 * @param blocked - the choices that are blocked, as bits, from a place on
 * @returns whether an urgent choice would change the state
 */
export type ExpandWord = (
  results: Results,
  state: number,
  locals: Int32Array,
  blocked: Int32Array,
) => boolean;

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
  const column = (of: Int32Array): string => `c[${columns.push(of) - 1}]`;
  const names: string[] = [];
  const bind = (of: Int32Array): string => {
    const name = `t${names.length}`;
    names.push(`const ${name} = ${column(of)};`);
    return name;
  };
  const cases = [...steps.componentOfChoice].map((component, choice) => {
    const moves =
      component >= 0
        ? [{ component, next: steps.choices[choice] as Int32Array }]
        : listeners(choice).map(({ component: each, next }) => ({ component: each, next }));
    const lines = moves.map((move, each) => `const to${each} = ${bind(move.next)}[l${move.component}];`);
    const known = moves.map((_, each) => `to${each} >= 0`).join(' && ');
    const change = moves
      .map((move, each) => `((l${move.component} ^ to${each}) << ${layout.shiftOf[move.component]})`)
      .join(' ^ ');
    const isUrgent = (((offers.urgent[choice >> 5] as number) >>> (choice & 31)) & 1) === 1;
    return `case ${choice}: { ${lines.join(' ')}
      if (${known}) { next = state ^ ${change}; ${isUrgent ? 'if (next !== state) urgent = true;' : ''} break; }
      results.count = count; results.steps = steps;
      if (results.takeSlowly(${choice}, state)${isUrgent ? '' : ' && false'}) urgent = true;
      count = results.count; steps = results.steps; words = results.words; picks = results.picks;
      continue; }`;
  });
  const locals = Array.from(
    { length: layout.wordOf.length },
    (_, each) => `const l${each} = locals[${each}];`,
  );
  const loops = Array.from({ length: offers.choiceWords }, (_, word) => {
    const own = cases.slice(word << 5, (word + 1) << 5);
    return `for (let offered = ${offers.all[word]} & ~blocked[${word + 1}]; offered !== 0; offered &= offered - 1) {
      const choice = ${word << 5} + 31 - Math.clz32(offered & -offered);
      let next = 0;
      switch (choice) { ${own.join('\n')} }
      steps += 1;
      words[count] = next; picks[count] = choice;
      if (next !== state) count += 1;
    }`;
  });
  const body = `'use strict'; ${names.join(' ')}
    return function expandWord(results, state, locals, blocked) {
      ${locals.join(' ')}
      let words = results.words, picks = results.picks, count = results.count, steps = results.steps;
      let urgent = false;
      ${loops.join('\n')}
      results.count = count; results.steps = steps;
      return urgent;
    };`;
  try {
    // The text is made of numbers only.
    return new Function('c', body)(columns) as ExpandWord;
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}
