/**
 * A system in the dialect of Murphi that Rumur reads: one scalar range for each component, and one rule a pick. The
 * tables are functions that compare, since the language has no constant arrays. Rumur's states are the
 * checker's states, and its rules fired are the checker's edges.
 */
import { deliveriesMax } from '../semantics/world.ts';
import { commentText, identifiers } from './names.ts';
import { type Blocker, impossible, type Move, type Program, type ProgramChoice, speaks } from './program.ts';
import { inOrder } from './renumber.ts';
import { longestTalk } from './talk.ts';

/** Writes a program in Murphi. */
export function toMurphi(program: Program, header: readonly string[]): string {
  return new Murphi(inOrder(program), header).text();
}

class Murphi {
  readonly #program: Program;
  readonly #header: readonly string[];
  readonly #names: readonly string[];
  readonly #picks: readonly MurphiPick[];
  /** The picks that more than one component takes part in. */
  readonly #starters: readonly MurphiPick[];
  /** The functions that stand for columns, by what they hold. */
  readonly #columns = new Map<string, string>();
  readonly #functions: string[] = [];

  constructor(program: Program, header: readonly string[]) {
    this.#program = program;
    this.#header = header;
    this.#names = identifiers(program.components.map(({ name }) => name));
    this.#picks = picksOf(program);
    this.#starters = this.#picks.filter(({ move }) => 'deliveries' in move || speaks(move));
  }

  text(): string {
    const { components } = this.#program;
    const rules = this.#picks.flatMap((pick) =>
      this.#starters.includes(pick)
        ? []
        : [`rule "${pick.name}"\n  ${this.#offered(pick)} ==>\nbegin\n${this.#moved(pick)}\nend;\n`],
    );
    const settle = this.#settle();
    const mayStart = this.#mayStart();
    const time = this.#time();
    return [
      ...this.#header.map((line) => `-- ${commentText(line)}`.trimEnd()),
      '',
      'type',
      ...components.map(({ size }, component) => `  ${this.#type(component)}: 0 .. ${size - 1};`),
      '',
      'var',
      ...components.map(
        ({ name }, component) =>
          `  ${this.#at(component)}: ${this.#type(component)}; -- ${commentText(name)}`,
      ),
      '',
      ...this.#functions,
      settle,
      mayStart,
      ...time.functions,
      'startstate begin',
      ...components.map(({ initial }, component) => `  ${this.#at(component)} := ${initial};`),
      'end;',
      '',
      ...rules,
      ...this.#startingRules(),
      ...time.rules,
      '',
    ].join('\n');
  }

  #at(component: number): string {
    return `at_${this.#names[component]}`;
  }

  #type(component: number): string {
    return `local_${this.#names[component]}`;
  }

  /** What a column says of the local state that a component is in. */
  #read(component: number, column: readonly number[], at = this.#at(component)): string {
    return this.#called(component, column, at, 'as it is');
  }

  /** Where a column leads. Neighbours often go equally far, so it is written as a distance. */
  #next(component: number, next: readonly number[], at = this.#at(component)): string {
    return this.#called(component, next, at, 'as a distance');
  }

  /** The call of a function that stands for a column; the function is written when it is first called. */
  #called(
    component: number,
    column: readonly number[],
    at: string,
    written: 'as it is' | 'as a distance',
  ): string {
    const key = `${component} ${written} ${column.join()}`;
    let name = this.#columns.get(key);
    if (name === undefined) {
      name = `table_${this.#names[component]}_${this.#columns.size}`;
      this.#columns.set(key, name);
      const isNear = written === 'as a distance';
      const codes = column.map((value, local) => {
        if (!isNear) return value;
        return value === impossible ? 0 : value - local;
      });
      const words = (code: number): string => {
        if (!isNear) return `${code}`;
        return code < 0 ? `s - ${-code}` : `s + ${code}`;
      };
      const most = (this.#program.components[component]?.size ?? 1) - 1;
      const range = `0 .. ${column.reduce((a, b) => Math.max(a, b), most)}`;
      const body = decide(codes, words);
      this.#functions.push(`function ${name}(s: ${this.#type(component)}): ${range};\nbegin\n${body}end;\n`);
    }
    return `${name}(${at})`;
  }

  #offered({ move, blockers }: MurphiPick): string {
    const own = 'next' in move ? [this.#possible(move.component, move.next)] : [];
    const others = blockers.map(({ component, blocked }) =>
      this.#possible(
        component,
        blocked.map((each) => (each ? impossible : 0)),
      ),
    );
    return [...own, ...others].join(' & ') || 'true';
  }

  #possible(component: number, next: readonly number[]): string {
    if (!next.includes(impossible)) return 'true';
    const column = next.map((each) => (each === impossible ? 0 : 1));
    return `${this.#read(component, column)} = 1`;
  }

  /** What a pick that concerns one component does to it, or to a copy of it. */
  #moved({ move }: MurphiPick, at = (component: number): string => this.#at(component)): string {
    if ('deliveries' in move)
      throw new Error('internal error: a choice of several components is no move of one');
    return `  ${at(move.component)} := ${this.#next(move.component, move.next, at(move.component))};`;
  }

  /**
   * The rules of the picks that speak to other components. They are one set, since Rumur copies a procedure wherever
   * it is called, and this calls it once.
   */
  #startingRules(): string[] {
    const starters = this.#starters;
    if (starters.length === 0) return [];
    return [
      ...starters.map(({ name }, start) => `-- start ${start}: ${name}`),
      `ruleset start: 0 .. ${starters.length - 1} do`,
      `  rule "what more than one component takes part in"`,
      '    may_start(start) ==>',
      '  begin',
      `    settle(start, ${this.#names.map((_, component) => this.#at(component)).join(', ')});`,
      '  end;',
      'end;',
      '',
    ];
  }

  #mayStart(): string {
    const starters = this.#starters;
    if (starters.length === 0) return '';
    return [
      '-- Whether a pick is offered that more than one component takes part in.',
      `function may_start(start: 0 .. ${starters.length - 1}): boolean;`,
      'begin',
      '  switch start',
      ...starters.map((pick, start) => `    case ${start}: return ${this.#offered(pick)}; -- ${pick.name}`),
      '  end;',
      'end;',
      '',
    ].join('\n');
  }

  /** Delivers events, first in, first out, until no more is said. */
  #settle(): string {
    const { deliveries, talks } = this.#program;
    const starters = this.#starters;
    if (starters.length === 0) return '';
    // A pick of one component that speaks is delivered like an event that nobody else can send.
    const own = starters.flatMap(({ move }) => ('next' in move ? [move] : []));
    const moves: readonly Move[] = [...deliveries, ...own];
    const widest = starters.map(({ move }) => ('deliveries' in move ? move.deliveries.length : 1));
    const most = Math.min(longestTalk(this.#program, Math.max(...widest)), deliveriesMax);
    const queued = (delivery: number): string =>
      `      queue[waiting] := ${delivery}; waiting := waiting + 1;`;
    const first = starters.map(({ move, name }, start) =>
      [
        `    case ${start}: -- ${name}`,
        ...('deliveries' in move ? move.deliveries : [deliveries.length + own.indexOf(move)]).map(queued),
      ].join('\n'),
    );
    const cases = moves.map((move, place) => {
      const now = `now_${move.component}`;
      const talk = speaks(move) ? [`      talk := ${this.#read(move.component, move.talk, now)};`] : [];
      const next = `      ${now} := ${this.#next(move.component, move.next, now)};`;
      return [`    case ${place}:`, ...talk, next].join('\n');
    });
    const said = talks.map((each, talk) => [`    case ${talk}:`, ...each.map(queued)].join('\n'));
    const parameters = this.#names.map((_, component) => `var now_${component}: ${this.#type(component)}`);
    return [
      '-- Delivers events, first in, first out, until no more is said.',
      `procedure settle(start: 0 .. ${starters.length - 1}; ${parameters.join('; ')});`,
      'var',
      `  queue: array [0 .. ${most}] of 0 .. ${Math.max(0, moves.length - 1)};`,
      `  waiting: 0 .. ${most + 1};`,
      `  read: 0 .. ${most + 1};`,
      `  talk: 0 .. ${talks.length - 1};`,
      'begin',
      '  waiting := 0;',
      '  read := 0;',
      '  switch start',
      ...first,
      '  end;',
      '  while read < waiting do',
      '    talk := 0;',
      '    switch queue[read]',
      ...cases,
      '    end;',
      '    switch talk',
      ...said,
      '    end;',
      '    read := read + 1;',
      '  end;',
      'end;',
      '',
    ].join('\n');
  }

  /** The rule that lets time pass, and what its guard calls. */
  #time(): { functions: string[]; rules: string[] } {
    const { components } = this.#program;
    const running = components.flatMap(({ running }, component) =>
      running.includes(true) ? [`${this.#read(component, running.map(Number))} = 1`] : [],
    );
    if (running.length === 0) return { functions: [], rules: [] };
    const effect = components.flatMap(({ ticks }, component) =>
      ticks.some((next, local) => next !== local)
        ? [`  ${this.#at(component)} := ${this.#next(component, ticks)};`]
        : [],
    );
    const before = this.#functions.length;
    const offered = this.#picks.filter(({ kind }) => kind === 'timer');
    const due = offered.map((timer) => `  if ${this.#offered(timer)} then return false; end;`);
    const text = [
      '-- Time passes if a timer runs, none is due, and no urgent choice would change anything.',
      'function time_may_pass(): boolean;',
      'var',
      ...this.#names.map((_, component) => `  ${copy(component)}: ${this.#type(component)};`),
      'begin',
      `  if !(${running.join(' | ')}) then return false; end;`,
      ...due,
      ...this.#urgent(),
      '  return true;',
      'end;',
      '',
    ].join('\n');
    const late = this.#functions.slice(before);
    this.#functions.length = before;
    const rule = `rule "time: one tick"\n  time_may_pass() ==>\nbegin\n${effect.join('\n')}\nend;\n`;
    return { functions: [...late, text], rules: [rule] };
  }

  /** Urgent choices are tried on copies of the variables. */
  #urgent(): string[] {
    const copied = this.#names.map((_, component) => `    ${copy(component)} := ${this.#at(component)};`);
    const changed = this.#names.map((_, component) => `${copy(component)} != ${this.#at(component)}`);
    const back = `    if ${changed.join(' | ')} then return false; end;`;
    const urgent = this.#picks.filter(({ kind }) => kind === 'urgent');
    const alone = urgent.flatMap((pick) =>
      this.#starters.includes(pick)
        ? []
        : [`  if ${this.#offered(pick)} then`, ...copied, `  ${this.#moved(pick, copy)}`, back, '  end;'],
    );
    const starts = urgent.map((pick) => this.#starters.indexOf(pick)).filter((start) => start >= 0);
    if (starts.length === 0) return alone;
    const copies = this.#names.map((_, component) => copy(component)).join(', ');
    return [
      ...alone,
      `  for start: 0 .. ${this.#starters.length - 1} do`,
      `    if (${starts.map((start) => `start = ${start}`).join(' | ')}) & may_start(start) then`,
      ...copied,
      `    settle(start, ${copies});`,
      back,
      '    end;',
      '  end;',
    ];
  }
}

/** A pick as a rule. */
interface MurphiPick {
  readonly kind: 'choice' | 'urgent' | 'timer';
  /** As it may stand in quotation marks and in a comment. */
  readonly name: string;
  readonly move: ProgramChoice['move'];
  readonly blockers: readonly Blocker[];
}

function picksOf({ choices, timers }: Program): MurphiPick[] {
  const name = (text: string): string => commentText(text).replaceAll('"', "'");
  return [
    ...choices.map(({ id, says, urgent, move, blockers }) => ({
      kind: urgent ? ('urgent' as const) : ('choice' as const),
      name: name(says === undefined ? id : `${id}: ${says}`),
      move,
      blockers,
    })),
    ...timers.map(({ part, timer, move, blockers }) => ({
      kind: 'timer' as const,
      name: name(`timer ${part}: ${timer}`),
      move,
      blockers,
    })),
  ];
}

/** A component's copy, on which urgent choices are tried. */
const copy = (component: number): string => `then_${component}`;

/**
 * Statements that return a value for each number in `s`: runs of the same value, in groups, so that few are passed
 * over. Groups are not nested further, since Rumur copies what is nested again and again.
 */
function decide(codes: readonly number[], words: (code: number) => string): string {
  const ends: number[] = [];
  for (let place = 1; place <= codes.length; place += 1)
    if (codes[place] !== codes[place - 1]) ends.push(place);
  const groupSize = Math.ceil(Math.sqrt(ends.length));
  const lines: string[] = [];
  for (let start = 0; start < ends.length; start += groupSize) {
    const group = ends.slice(start, start + groupSize);
    const isLast = start + groupSize >= ends.length;
    const returns = group.map((end, place) => {
      const back = `return ${words(codes[end - 1] as number)};`;
      return place === group.length - 1 ? back : `if s < ${end} then ${back} end;`;
    });
    if (isLast) lines.push(...returns.map((line) => `  ${line}`));
    else lines.push(`  if s < ${group.at(-1)} then`, ...returns.map((line) => `    ${line}`), '  end;');
  }
  return `${lines.join('\n')}\n`;
}
