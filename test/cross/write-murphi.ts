/**
 * Writes a recipe in Murphi, the language of Rumur, by the sentences that describe a system in `src/system.ts`.
 *
 * A state is one record, and one rule is one step. Procedures work on any such record, so the guard of time tries
 * urgent choices out on a copy and looks whether it has changed.
 */
import { type Arc, deliveriesBound, eventCount, moves, type Recipe } from './recipe.ts';

/** A timer that does not run. */
const off = -1;
const delayMax = 3;

/** The recipe as a Murphi model. */
export function writeMurphi(recipe: Recipe): string {
  const { parts, componentOf, wires, choices, pause } = recipe;
  const room = deliveriesBound(recipe) + 1;
  const slotsOf = (part: number): number[] =>
    Array.from(
      { length: Math.max(0, ...(parts[part]?.states ?? []).map(({ after }) => after.length)) },
      (_, slot) => slot,
    );
  const timers = parts.flatMap((_, part) =>
    slotsOf(part).map((slot) => ({ part, slot, field: `timer_${part}_${slot}` })),
  );
  const fields = [
    ...parts.flatMap(({ states, modulus }, part) => [
      { name: `state_${part}`, type: `0..${states.length - 1}`, start: 0 },
      { name: `count_${part}`, type: `0..${modulus - 1}`, start: 0 },
    ]),
    ...timers.map(({ field }) => ({ name: field, type: `${off}..${delayMax}`, start: off })),
  ];

  const send = (part: number, event: number, queue: string): string => `send(${queue}, ${part}, ${event});`;
  const speak = (part: number, signal: number): string[] =>
    wires
      .filter((wire) => wire.from === part && wire.signal === signal)
      .map(({ to, event }) => send(to, event, componentOf[to] === componentOf[part] ? 'near' : 'far'));
  const enterState = (part: number, state: number): string[] => [
    `s.state_${part} := ${state};`,
    ...slotsOf(part).map(
      (slot) => `s.timer_${part}_${slot} := ${parts[part]?.states[state]?.after[slot]?.delay ?? off};`,
    ),
  ];
  const condition = (part: number, { when }: Arc): string =>
    when === undefined ? 'true' : `s.count_${part} = ${when}`;
  const effect = (part: number, from: number, arc: Arc): string[] => {
    if (arc.target === 'forbid') return [];
    const effects: string[] = [];
    if (arc.counter === 'increment')
      effects.push(`s.count_${part} := (s.count_${part} + 1) % ${parts[part]?.modulus};`);
    if (arc.counter === 'reset') effects.push(`s.count_${part} := 0;`);
    for (const signal of arc.emits) effects.push(...speak(part, signal));
    if (moves(arc, from)) {
      const target = arc.target as number;
      effects.push(...enterState(part, target));
      const entry = parts[part]?.states[target]?.entry;
      if (entry !== undefined) effects.push(...speak(part, entry));
    }
    return effects;
  };
  const firstOf = (part: number, arcs: readonly Arc[], then: (arc: Arc) => string): string =>
    arcs
      .map((arc, place) => `${place === 0 ? 'if' : 'elsif'} ${condition(part, arc)} then ${then(arc)}`)
      .join(' ') + (arcs.length === 0 ? '' : ' end;');

  const receives = parts.map(({ states }, part) => {
    // Flat, with the state and event as they were: Rumur takes seconds to translate switches within switches.
    const ways = states.flatMap((state, from) =>
      [...state.on, ...state.after.map(({ arc }) => [arc])].flatMap((arcs, event) =>
        arcs.length === 0
          ? []
          : [
              `if from = ${from} & event = ${event} then ${firstOf(part, arcs, (arc) => effect(part, from, arc).join(' '))} end;`,
            ],
      ),
    );
    return `procedure receive_${part}(var s: State; event: Event; var near: Queue; var far: Queue);
var from: 0..${states.length - 1};
begin
  from := s.state_${part};
  ${ways.join('\n  ')}
end;`;
  });
  const takes = parts.map(({ states }, part) => {
    const ways = states.flatMap(({ on }, from) =>
      on.flatMap((arcs, event) =>
        arcs.length === 0
          ? []
          : [
              `if s.state_${part} = ${from} & event = ${event} then ${firstOf(part, arcs, (arc) => `return ${arc.target !== 'forbid'};`)} end;`,
            ],
      ),
    );
    return `function takes_${part}(s: State; event: Event): boolean;
begin
  ${pause.parts.includes(part) ? `if paused(s) then return false; end;` : ''}
  ${ways.join('\n  ')}
  return false;
end;`;
  });
  const offers = choices.map(({ deliver }) =>
    deliver.map(({ to, event }) => `takes_${to}(now, ${event})`).join(' & '),
  );
  const sendAll = ({ deliver }: Recipe['choices'][number]): string =>
    deliver.map(({ to, event }) => send(to, event, 'far')).join(' ');

  const dueOf = ({ part, field }: (typeof timers)[number]): string =>
    `now.${field} = 0${pause.parts.includes(part) ? ' & !paused(now)' : ''}`;
  const trials = choices.flatMap((choice, place) =>
    choice.urgent
      ? [
          `if ${offers[place]} then
    trial := now; clear far; ${sendAll(choice)} settle(trial, far);
    if ${fields.map(({ name }) => `trial.${name} != now.${name}`).join(' | ')} then return true; end;
  end;`,
        ]
      : [],
  );
  const rule = (name: string, when: string, body: string): string =>
    `rule "${name}" ${when} ==>\nvar far: Queue;\nbegin\n  clear far;\n  ${body}\nend;`;
  const tick = timers.map(({ field }) => `if now.${field} > 0 then now.${field} := now.${field} - 1; end;`);
  const start = parts.flatMap(({ states }, part) => {
    const entry = states[0]?.entry;
    const heard = wires.filter((wire) => wire.from === part && wire.signal === entry);
    return [
      ...enterState(part, 0).map((line) => line.replace('s.', 'now.')),
      ...heard.map(({ to, event }) => send(to, event, 'far')),
    ];
  });
  return `type
  State: record
    ${fields.map(({ name, type }) => `${name}: ${type};`).join('\n    ')}
  end;
  Part: 0..${parts.length - 1};
  Event: 0..${eventCount + 1};
  Queue: record
    part: array[0..${room}] of Part;
    event: array[0..${room}] of Event;
    first: 0..${room};
    size: 0..${room};
  end;
var now: State;

procedure send(var queue: Queue; part: Part; event: Event);
begin
  queue.part[queue.first + queue.size] := part;
  queue.event[queue.first + queue.size] := event;
  queue.size := queue.size + 1;
end;

procedure drop(var queue: Queue);
begin
  queue.first := queue.first + 1;
  queue.size := queue.size - 1;
end;

function paused(s: State): boolean;
begin
  return ${pause.while.map((state) => `s.state_${pause.by} = ${state}`).join(' | ') || 'false'};
end;

${receives.join('\n\n')}

${takes.join('\n\n')}

procedure settle(var s: State; var far: Queue);
var near: Queue;
var part: Part;
var event: Event;
begin
  while far.size > 0 do
    clear near;
    send(near, far.part[far.first], far.event[far.first]);
    drop(far);
    while near.size > 0 do
      part := near.part[near.first];
      event := near.event[near.first];
      drop(near);
      switch part
        ${parts.map((_, part) => `case ${part}: receive_${part}(s, event, near, far);`).join('\n        ')}
      end;
    end;
  end;
end;

function urgentChange(): boolean;
var trial: State;
var far: Queue;
begin
  ${trials.join('\n  ')}
  return false;
end;

startstate
var far: Queue;
begin
  clear far;
  ${fields.map(({ name, start: value }) => `now.${name} := ${value};`).join('\n  ')}
  ${start.join('\n  ')}
  settle(now, far);
end;

${[
  ...choices.map((choice, place) =>
    rule(`choice ${place}`, offers[place] ?? 'false', `${sendAll(choice)} settle(now, far);`),
  ),
  ...timers.map((timer) =>
    rule(
      timer.field,
      dueOf(timer),
      `now.${timer.field} := ${off}; ${send(timer.part, eventCount + timer.slot, 'far')} settle(now, far);`,
    ),
  ),
  ...(timers.length === 0
    ? []
    : [
        rule(
          'time',
          `(${timers.map(({ field }) => `now.${field} > 0`).join(' | ')}) & !(${timers
            .map((timer) => `(${dueOf(timer)})`)
            .join(' | ')}) & !urgentChange()`,
          tick.join('\n  '),
        ),
      ]),
].join('\n\n')}
`;
}
