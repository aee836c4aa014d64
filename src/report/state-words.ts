/**
 * A part's state in as few words as tell it, and what a step changed of it.
 *
 * A state is named by the last steps of its path, without those that are entered by default: `open.up` reads `open`
 * where `up` is where `open` begins. Of a state with regions only the regions that changed are named.
 */
import type { AnyMachineSnapshot, AnyStateNode, StateValue } from 'xstate';

/** All of a state: one word for each region. */
export function stateWords({ machine, value }: AnyMachineSnapshot): string[] {
  return changes(machine.root, undefined, value);
}

/**
 * What differs between two states of a machine. Data is named only where no state changed: `seen=committed`.
 */
export function changedWords(before: AnyMachineSnapshot, after: AnyMachineSnapshot): string[] {
  const states = changes(after.machine.root, before.value, after.value);
  if (states.length > 0) return states;
  const [old, now] = [before.context, after.context] as Record<string, unknown>[];
  return Object.keys(now ?? {})
    .filter((key) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key]))
    .map((key) => `${key}=${plain(now?.[key])}`);
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');

function changes(
  node: AnyStateNode,
  before: StateValue | undefined,
  after: StateValue | undefined,
): string[] {
  if (node.type === 'parallel') {
    return Object.values(node.states).flatMap((region) =>
      changes(region, inside(before, region.key), inside(after, region.key)),
    );
  }
  const child = childOf(node, after);
  if (child === undefined) return [];
  if (before !== undefined && childOf(node, before) === child) {
    return changes(child, inside(before, child.key), inside(after, child.key));
  }
  return entered(child, inside(after, child.key));
}

/** Names a state that was just entered, and the regions in it that are not where they begin. */
function entered(node: AnyStateNode, value: StateValue | undefined): string[] {
  const path = [node];
  let inner = value;
  for (let child = childOf(node, inner); child !== undefined; ) {
    path.push(child);
    inner = inside(inner, child.key);
    child = childOf(child, inner);
  }
  const last = path.at(-1) as AnyStateNode;
  while (path.length > 1 && path.at(-1) === initialOf(path.at(-2) as AnyStateNode)) path.pop();
  const name = path
    .slice(-2)
    .map(({ key }) => key)
    .join('.');
  return last.type === 'parallel' ? [name, ...changes(last, undefined, inner)] : [name];
}

function childOf(node: AnyStateNode, value: StateValue | undefined): AnyStateNode | undefined {
  if (node.type !== 'compound' || value === undefined) return undefined;
  return node.states[typeof value === 'string' ? value : (Object.keys(value)[0] ?? '')];
}

const initialOf = (node: AnyStateNode): AnyStateNode | undefined => node.initial?.target[0];

const inside = (value: StateValue | undefined, key: string): StateValue | undefined =>
  typeof value === 'object' ? value[key] : undefined;
