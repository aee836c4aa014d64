import { Rows, unlabelled } from '../../../src/explore/region-graph.ts';

/** A step from one state to another; with a label if it is an action's. */
export type Edge = readonly [from: number, to: number, label?: number];

/** A graph of so many states. */
export function rowsOf(states: number, edges: readonly Edge[]): Rows {
  const rows = new Rows();
  for (let state = 0; state < states; state += 1) {
    for (const [from, to, label] of edges) if (from === state) rows.addEdge(to, label ?? unlabelled);
    rows.endRow();
  }
  rows.end();
  return rows;
}
