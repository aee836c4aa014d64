/**
 * Writes a recipe in Promela, the language of Spin, by the sentences that describe a system in `src/system.ts`.
 *
 * One process goes round one loop. A step is an `atomic` of two `d_step`s, of which neither can block: the first picks
 * what happens and puts it into the queue, the second empties the queue. So Spin stores states between steps only.
 * What would happen if an urgent choice were made is tried out at the end of each step and remembered in `held`;
 * this follows from the rest of the state, so it makes no states of its own.
 */
import { type Arc, deliveriesBound, eventCount, moves, type Recipe } from './recipe.ts';

/** A timer that does not run. */
const off = 255;

/** The recipe as a Promela model. Before its first step it has one state and one transition, which start the parts. */
export function writePromela(recipe: Recipe): string {
  const { parts, componentOf, wires, choices, pause } = recipe;
  const room = deliveriesBound(recipe) + 1;
  const timers = parts.flatMap(({ states }, part) =>
    Array.from({ length: Math.max(0, ...states.map(({ after }) => after.length)) }, (_, slot) => ({
      part,
      slot,
      name: `timer${part}_${slot}`,
    })),
  );
  const timersOf = (part: number) => timers.filter((timer) => timer.part === part);
  const letters = eventCount + 2;
  const letter = (part: number, event: number): number => 1 + part * letters + event;
  const urgent = choices.filter((choice) => choice.urgent);

  const paused = (part: number): string =>
    pause.parts.includes(part)
      ? `(${pause.while.map((state) => `state${pause.by} == ${state}`).join(' || ') || 'false'})`
      : 'false';

  const takes = (part: number, event: number): string =>
    (parts[part]?.states ?? [])
      .map(({ on }, state) => {
        const ways = (on[event] ?? []).map((arc, place, arcs) =>
          arc.target === 'forbid'
            ? 'false'
            : [...arcs.slice(0, place).map((other) => `!(${guard(other, part)})`), guard(arc, part)].join(
                ' && ',
              ),
        );
        return `(state${part} == ${state} && (${ways.map((way) => `(${way})`).join(' || ') || 'false'}))`;
      })
      .join(' || ');

  const offered = ({ deliver }: Recipe['choices'][number]): string =>
    deliver.map(({ to, event }) => `!${paused(to)} && (${takes(to, event)})`).join(' && ');

  const putOutside = (part: number, event: number): string =>
    `outside[outsideEnd] = ${letter(part, event)}; outsideEnd++;`;
  const putInside = (part: number, event: number): string =>
    `inside[insideEnd] = ${letter(part, event)}; insideEnd++;`;
  const say = (part: number, signal: number): string[] =>
    wires
      .filter((wire) => wire.from === part && wire.signal === signal)
      .map(({ to, event }) =>
        componentOf[to] === componentOf[part] ? putInside(to, event) : putOutside(to, event),
      );

  const enter = (part: number, state: number): string[] => [
    `state${part} = ${state};`,
    ...timersOf(part).map(
      ({ name, slot }) => `${name} = ${parts[part]?.states[state]?.after[slot]?.delay ?? off};`,
    ),
  ];
  const follow = (part: number, from: number, arc: Arc): string => {
    if (arc.target === 'forbid') return 'skip;';
    const counter = {
      keep: [],
      increment: [`count${part} = (count${part} + 1) % ${parts[part]?.modulus};`],
      reset: [`count${part} = 0;`],
    }[arc.counter];
    const entered = moves(arc, from) ? (arc.target as number) : undefined;
    const greeting = entered === undefined ? undefined : parts[part]?.states[entered]?.entry;
    return [
      'skip;',
      ...counter,
      ...arc.emits.flatMap((signal) => say(part, signal)),
      ...(entered === undefined ? [] : enter(part, entered)),
      ...(greeting === undefined ? [] : say(part, greeting)),
    ].join(' ');
  };
  const tryArcs = (part: number, from: number, arcs: readonly Arc[]): string => {
    const [first, ...rest] = arcs;
    if (first === undefined) return 'skip;';
    return `if :: ${guard(first, part)} -> ${follow(part, from, first)} :: else -> ${tryArcs(part, from, rest)} fi;`;
  };

  const receive = parts.flatMap(({ states }, part) => {
    const onLetter = (
      event: number,
      arcsOf: (state: Recipe['parts'][number]['states'][number]) => readonly Arc[],
    ) => {
      const ways = states.flatMap((state, number) => {
        const arcs = arcsOf(state);
        return arcs.length === 0 ? [] : [`:: state${part} == ${number} -> ${tryArcs(part, number, arcs)}`];
      });
      return ways.length === 0
        ? []
        : [`:: letter == ${letter(part, event)} -> if ${ways.join(' ')} :: else -> skip; fi;`];
    };
    return [
      ...Array.from({ length: eventCount }, (_, event) =>
        onLetter(event, ({ on }) => on[event] ?? []),
      ).flat(),
      ...timersOf(part).flatMap(({ slot }) =>
        onLetter(eventCount + slot, ({ after }) => (after[slot] === undefined ? [] : [after[slot].arc])),
      ),
    ];
  });

  const own = [
    ...parts.flatMap((_, part) => [`state${part}`, `count${part}`]),
    ...timers.map(({ name }) => name),
  ];
  const empty = `
      do
      :: outsideStart < outsideEnd ->
         inside[0] = outside[outsideStart]; outside[outsideStart] = 0; outsideStart++; insideEnd = 1;
         insideStart = 0;
         do
         :: insideStart < insideEnd ->
            letter = inside[insideStart]; inside[insideStart] = 0; insideStart++;
            if
            ${[...receive, ':: else -> skip;'].join('\n            ')}
            fi;
         :: else -> break;
         od;
      :: else -> break;
      od;
      outsideStart = 0; outsideEnd = 0; insideStart = 0; insideEnd = 0; letter = 0;`;
  // The first round is the step itself, each further one a trial of an urgent choice, which is taken back.
  const settle = `
      held = false; round = 0;
      do
      :: round <= ${urgent.length} ->
         if
         ${[
           ':: round == 0 -> skip;',
           ...urgent.map(
             (choice, place) =>
               `:: round == ${place + 1} && (${offered(choice)}) -> ${choice.deliver.map(({ to, event }) => putOutside(to, event)).join(' ')}`,
           ),
           ':: else -> skip;',
         ].join('\n         ')}
         fi;
         ${empty}
         if
         :: round == 0 -> ${own.map((name) => `kept_${name} = ${name};`).join(' ')}
         :: else ->
            if
            :: ${own.map((name) => `kept_${name} != ${name}`).join(' || ')} -> held = true;
            :: else -> skip;
            fi;
            ${own.map((name) => `${name} = kept_${name};`).join(' ')}
         fi;
         round++;
      :: else -> break;
      od;
      round = 0; ${own.map((name) => `kept_${name} = 0;`).join(' ')}`;

  const due = timers.map(({ part, name }) => `(${name} == 0 && !${paused(part)})`);
  const running = timers.map(({ name }) => `(${name} != ${off} && ${name} > 0)`);
  const options = [
    ...choices.map(
      (choice) =>
        `${offered(choice)} -> ${choice.deliver.map(({ to, event }) => putOutside(to, event)).join(' ')}`,
    ),
    ...timers.map(
      ({ part, slot, name }, place) =>
        `${due[place]} -> ${name} = ${off}; ${putOutside(part, eventCount + slot)}`,
    ),
    ...(timers.length === 0
      ? []
      : [
          `!held && (${running.join(' || ')}) && !(${due.join(' || ')}) -> ${timers
            .map(({ name }) => `if :: ${name} != ${off} && ${name} > 0 -> ${name}--; :: else -> skip; fi;`)
            .join(' ')}`,
        ]),
  ];
  return `${own.map((name) => `byte ${name} = ${name.startsWith('timer') ? off : 0};\nbyte kept_${name};`).join('\n')}
bool held;
byte round;
byte outside[${room}]; byte outsideStart; byte outsideEnd;
byte inside[${room}]; byte insideStart; byte insideEnd;
byte letter;

active proctype System() {
   d_step {
      ${parts
        .flatMap(({ states }, part) => {
          const entry = states[0]?.entry;
          const heard = wires.filter((wire) => wire.from === part && wire.signal === entry);
          return [...enter(part, 0), ...heard.map(({ to, event }) => putOutside(to, event))];
        })
        .join('\n      ')}
      ${settle}
   }
   do
   :: atomic {
      if
      ${options.map((option) => `:: d_step { ${option} }`).join('\n      ')}
      fi;
      d_step { ${settle} }
   }
   od
}
`;
}

function guard({ when }: Arc, part: number): string {
  return when === undefined ? 'true' : `count${part} == ${when}`;
}
