/**
 * The reachable graph in the Aldebaran format (`.aut`), which CADP, mCRL2 and others read. It is written piece by
 * piece, so that the text of a large graph needs no memory.
 */
import type { Search } from '../explore/search.ts';
import { labelOf, stepsFrom } from './graph.ts';

/** States written in one piece. */
const pieceStates = 256;

/** Writes the graph of a complete search. */
export function* toAutomaton(search: Search): Generator<string> {
  const { count } = search.states;
  yield `des (0, ${search.edges}, ${count})\n`;
  for (let start = 0; start < count; start += pieceStates) {
    let piece = '';
    for (let state = start; state < Math.min(start + pieceStates, count); state += 1) {
      for (const { pick, to } of stepsFrom(search, state)) {
        piece += `(${state}, "${labelOf(search.engine, pick).replaceAll('"', "'")}", ${to})\n`;
      }
    }
    yield piece;
  }
}
