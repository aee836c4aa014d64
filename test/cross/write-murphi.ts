/**
 * Writes a recipe in Murphi, the language of Rumur, by the sentences that describe a system in `src/system.ts`.
 *
 * A state is one array, which Rumur translates faster than a record, and a rule that fires is one step. Procedures work on any such array, so the guard of time
 * tries urgent choices out on a copy and looks whether it has changed. Rumur translates a procedure anew at each place
 * that calls it, which takes seconds for calls within calls; so there is one rule for all choices and timers, by
 * number, and what is short is written out where it is needed.
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
    ...parts.flatMap((_, part) => [
      { name: `state_${part}`, start: 0 },
      { name: `count_${part}`, start: 0 },
    ]),
    ...timers.map(({ field }) => ({ name: field, start: off })),
  ];
  const valueMax = Math.max(
    delayMax,
    ...parts.flatMap(({ states, modulus }) => [states.length - 1, modulus - 1]),
  );

  const send = (part: number, event: number, queue: string): string =>
    `${queue}.part[${queue}.last] := ${part}; ${queue}.event[${queue}.last] := ${event}; ${queue}.last := ${queue}.last + 1;`;
  const speak = (part: number, signal: number): string[] =>
    wires
      .filter((wire) => wire.from === part && wire.signal === signal)
      .map(({ to, event }) => send(to, event, componentOf[to] === componentOf[part] ? 'near' : 'far'));
  const enterState = (part: number, state: number): string[] => [
    `s[state_${part}] := ${state};`,
    ...slotsOf(part).map(
      (slot) => `s[timer_${part}_${slot}] := ${parts[part]?.states[state]?.after[slot]?.delay ?? off};`,
    ),
  ];
  const condition = (part: number, { when }: Arc): string =>
    when === undefined ? 'true' : `s[count_${part}] = ${when}`;
  const effect = (part: number, from: number, arc: Arc): string[] => {
    if (arc.target === 'forbid') return [];
    const effects: string[] = [];
    if (arc.counter === 'increment')
      effects.push(`s[count_${part}] := (s[count_${part}] + 1) % ${parts[part]?.modulus};`);
    if (arc.counter === 'reset') effects.push(`s[count_${part}] := 0;`);
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
  from := s[state_${part}];
  ${ways.join('\n  ')}
end;`;
  });
  const takes = parts.map(({ states }, part) => {
    const ways = states.flatMap(({ on }, from) =>
      on.flatMap((arcs, event) =>
        arcs.length === 0
          ? []
          : [
              `if s[state_${part}] = ${from} & event = ${event} then ${firstOf(part, arcs, (arc) => `return ${arc.target !== 'forbid'};`)} end;`,
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
  const dueOf = ({ part, field }: (typeof timers)[number]): string =>
    `now[${field}] = 0${pause.parts.includes(part) ? ' & !paused(now)' : ''}`;
  const loads = [
    ...choices.map(({ deliver }) => deliver.map(({ to, event }) => send(to, event, 'far')).join(' ')),
    ...timers.map(
      ({ part, slot, field }) => `s[${field}] := ${off}; ${send(part, eventCount + slot, 'far')}`,
    ),
  ];
  const possible = [...offers, ...timers.map(dueOf)];
  const urgent = choices.flatMap((choice, place) => (choice.urgent ? [`pick = ${place}`] : []));
  const tick = timers.map(
    ({ field }) => `if now[${field}] > 0 then now[${field}] := now[${field}] - 1; end;`,
  );
  const start = parts.flatMap(({ states }, part) => {
    const entry = states[0]?.entry;
    const heard = wires.filter((wire) => wire.from === part && wire.signal === entry);
    return [
      ...enterState(part, 0).map((line) => line.replace('s[', 'now[')),
      ...heard.map(({ to, event }) => send(to, event, 'far')),
    ];
  });
  return `const
  ${fields.map(({ name }, place) => `${name}: ${place};`).join('\n  ')}
type
  State: array[0..${fields.length - 1}] of ${off}..${valueMax};
  Part: 0..${parts.length - 1};
  Event: 0..${eventCount + 1};
  Pick: 0..${possible.length - 1};
  Queue: record
    part: array[0..${room}] of Part;
    event: array[0..${room}] of Event;
    first: 0..${room};
    last: 0..${room};
  end;
var now: State;

function paused(s: State): boolean;
begin
  return ${pause.while.map((state) => `s[state_${pause.by}] = ${state}`).join(' | ') || 'false'};
end;

${receives.join('\n\n')}

${takes.join('\n\n')}

procedure settle(var s: State; var far: Queue);
var near: Queue;
var part: Part;
var event: Event;
begin
  while far.first < far.last do
    near.part[0] := far.part[far.first];
    near.event[0] := far.event[far.first];
    near.first := 0;
    near.last := 1;
    far.first := far.first + 1;
    while near.first < near.last do
      part := near.part[near.first];
      event := near.event[near.first];
      near.first := near.first + 1;
      ${parts.map((_, part) => `if part = ${part} then receive_${part}(s, event, near, far); end;`).join('\n      ')}
    end;
  end;
end;

function possible(pick: Pick): boolean;
begin
  ${possible.map((when, pick) => `if pick = ${pick} then return ${when}; end;`).join('\n  ')}
  return false;
end;

procedure load(var s: State; var far: Queue; pick: Pick);
begin
  far.first := 0;
  far.last := 0;
  ${loads.map((load, pick) => `if pick = ${pick} then ${load} end;`).join('\n  ')}
end;

${
  urgent.length === 0
    ? ''
    : `function urgentChange(): boolean;
var trial: State;
var far: Queue;
begin
  for pick: Pick do
    if (${urgent.join(' | ')}) & possible(pick) then
      trial := now;
      load(trial, far, pick);
      settle(trial, far);
      if ${fields.map(({ name }) => `trial[${name}] != now[${name}]`).join(' | ')} then return true; end;
    end;
  end;
  return false;
end;`
}

startstate
var far: Queue;
begin
  far.first := 0;
  far.last := 0;
  ${fields.map(({ name, start: value }) => `now[${name}] := ${value};`).join('\n  ')}
  ${start.join('\n  ')}
  ${start.some((line) => line.includes('far')) ? 'settle(now, far);' : ''}
end;

ruleset pick: Pick do
  rule "choice or timer" possible(pick) ==>
  var far: Queue;
  begin
    load(now, far, pick);
    settle(now, far);
  end;
end;
${
  timers.length === 0
    ? ''
    : `
rule "time"
  (${timers.map(({ field }) => `now[${field}] > 0`).join(' | ')}) &
  !(${timers.map((timer) => `(${dueOf(timer)})`).join(' | ')}) & ${urgent.length === 0 ? 'true' : '!urgentChange()'} ==>
begin
  ${tick.join('\n  ')}
end;
`
}`;
}
