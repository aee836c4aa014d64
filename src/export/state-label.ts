/** A global state in words, one line for each part. */
import type { Search } from '../explore/search.ts';
import { stateWords } from '../report/state-words.ts';

/** What each part's states, data and timers are. */
export function stateLabel({ engine, states }: Search, state: number): string {
  const { world, spaces, expander } = engine;
  const locals = new Int32Array(spaces.length);
  expander.unpack(states.chunk(state), states.offset(state), locals);
  return world.system.parts
    .map((part) => {
      const local = spaces[part.component]?.partLocal(locals[part.component] as number, part.index);
      const { snapshot, timers } = world.space(part).state(local as number);
      const data = Object.keys(snapshot.context).length === 0 ? [] : [JSON.stringify(snapshot.context)];
      const ticks = timers.map(({ remaining }) => `(${remaining})`);
      return `${part.name}: ${[...stateWords(snapshot), ...data, ...ticks].join(' ')}`;
    })
    .join('\n');
}
