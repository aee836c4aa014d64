import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import { toMermaid } from '../../src/diagram/mermaid.ts';
import { statechart } from '../../src/machine/statechart.ts';

const mermaidOf = (config: object, options = {}): string =>
  toMermaid(statechart(createMachine(config as never)), options);

describe('Mermaid text', () => {
  it('nests states, and writes arrows between siblings beside them and the others at the end', () => {
    const text = mermaidOf({
      id: 'watcher',
      initial: 'reconnecting',
      on: { 'agent.restarted': { target: '.reconnecting', actions: 'forget' } },
      states: {
        reconnecting: {
          initial: { target: 'listing', actions: 'greet' },
          states: {
            listing: {
              entry: 'ask',
              on: { 'list.failed': [{ guard: 'often', target: 'waiting' }, 'listing'] },
            },
            waiting: { after: { 1000: { target: 'listing', actions: emit({ type: 'list.asked' }) } } },
          },
          on: { 'watch.created': 'connected' },
        },
        connected: {
          on: { 'watch.lost': '#watcher.reconnecting.listing', 'link.closed': 'over', 'link.reset': 'over' },
        },
        over: { type: 'final' },
      },
    });
    expect(text).toBe(`stateDiagram-v2
  state "watcher" as watcher {
    [*] --> watcher_reconnecting
    state "reconnecting" as watcher_reconnecting {
      [*] --> watcher_reconnecting_listing : / greet
      state "listing" as watcher_reconnecting_listing
      watcher_reconnecting_listing : entry / ask
      watcher_reconnecting_listing : list.failed [else] (stays)
      state "waiting" as watcher_reconnecting_waiting
      watcher_reconnecting_listing --> watcher_reconnecting_waiting : list.failed [often]
      watcher_reconnecting_waiting --> watcher_reconnecting_listing : after 1 s / emit list.asked
    }
    state "connected" as watcher_connected
    state "over" as watcher_over
    watcher_reconnecting --> watcher_connected : watch.created
    watcher_connected --> watcher_over : link.closed<br/>link.reset
    watcher_over --> [*]
  }
  note right of watcher
    agent.restarted → reconnecting / forget
  end note
  watcher_connected --> watcher_reconnecting_listing : watch.lost
`);
  });

  it('parts the regions of a parallel state', () => {
    const text = mermaidOf(
      {
        id: 'node',
        type: 'parallel',
        exit: 'sigh',
        states: {
          link: { initial: 'up', states: { up: { tags: ['rest', 'fine'], after: { 3: 'down' } }, down: {} } },
          process: { on: { hush: undefined } },
        },
      },
      { hiddenTags: ['rest'], formatTime: (value: number) => `${value} ticks` },
    );
    expect(text).toBe(`stateDiagram-v2
  state "node" as node {
    state "link" as node_link {
      [*] --> node_link_up
      state "up" as node_link_up
      node_link_up : «fine»
      state "down" as node_link_down
      node_link_up --> node_link_down : after 3 ticks
    }
    --
    state "process" as node_process
    node_process : hush (ignored)
  }
  note right of node
    exit / sigh
  end note
`);
  });

  it('keeps arrows between regions out of the braces, which would make one region part of another', () => {
    const text = mermaidOf({ id: 'm', type: 'parallel', states: { a: { on: { go: '#m.b' } }, b: {} } });
    expect(text).toContain('\n  }\n  m_a --> m_b : go\n');
  });

  it('shows a history as a state with an arrow to where it leads', () => {
    const text = mermaidOf({
      id: 'm',
      initial: 'a',
      states: {
        a: {
          initial: 'x',
          states: { x: {}, y: {}, back: { type: 'history', history: 'deep', target: 'y' } },
        },
        b: { on: { resumed: 'a.back' } },
      },
    });
    expect(text).toContain('state "H#42;" as m_a_back\n');
    expect(text).toContain('\n      m_a_back --> m_a_y\n');
    expect(text).toContain('\n  m_b --> m_a_back : resumed\n');
  });

  it('escapes what Mermaid and Markdown would take for their own', () => {
    const text = mermaidOf({
      id: 'm',
      initial: 'a',
      states: {
        a: {
          entry: 'end note',
          on: { 'x:y; #1 "q" <z> 50% {k}': { target: 'b', guard: '*_g_* a_b', actions: '`t`&\\n' } },
        },
        b: {},
      },
    });
    expect(text).toContain(
      'm_a --> m_b : x#58;y#59; #35;1 #34;q#34; #60;z#62; 50#37; #123;k#125; [#42;#95;g#95;#42; a_b] / #96;t#96;#38;#92;n',
    );
  });

  it('keeps a line of a note from ending it', () => {
    const text = mermaidOf({
      id: 'm',
      initial: 'a',
      on: { 'end note': { actions: 'x' } },
      states: { a: {} },
    });
    expect(text).toContain('\n    #101;nd note / x\n  end note\n');
  });

  it('gives each state a name of its own that is no word of Mermaid', () => {
    const text = mermaidOf({ id: 'end', initial: 'a b', states: { 'a b': {}, 'a-b': {}, a_b: {} } });
    expect([...text.matchAll(/" as (\S+)/g)].map((found) => found[1])).toEqual([
      'end_2',
      'end_a_b',
      'end_a_b_2',
      'end_a_b_3',
    ]);
  });

  it('takes no braces for a machine without states, which Mermaid could not draw', () => {
    expect(mermaidOf({ id: 'm', on: { go: { actions: 'x' } } })).toBe(`stateDiagram-v2
  state "m" as m
  m : go / x
`);
  });
});
