/** The reachable graph in the language of Graphviz, for systems that are small enough to be looked at. */
import type { Search } from '../explore/search.ts';
import { labelOf, stepsFrom } from './graph.ts';
import { stateLabel } from './state-label.ts';

/** Writes the graph of a complete search. */
export function* toDot(search: Search): Generator<string> {
  const { states, engine } = search;
  yield `digraph ${quoted(engine.world.system.id)} {\n  node [shape=box];\n`;
  for (let state = 0; state < states.count; state += 1) {
    const bold = state === 0 ? ', penwidth=2' : '';
    let piece = `  ${state} [label=${quoted(stateLabel(search, state))}${bold}];\n`;
    const labels = new Map<number, string[]>();
    for (const { pick, to } of stepsFrom(search, state)) {
      labels.set(to, [...(labels.get(to) ?? []), labelOf(engine, pick)]);
    }
    for (const [to, texts] of labels) {
      piece += `  ${state} -> ${to} [label=${quoted(texts.join('\n'))}];\n`;
    }
    yield piece;
  }
  yield '}\n';
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
