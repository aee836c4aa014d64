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
  /** The functions that stand for columns, by what they hold. */
  readonly #columns = new Map<string, string>();
  readonly #functions: string[] = [];

  constructor(program: Program, header: readonly string[]) {
    this.#program = program;
    this.#header = header;
    this.#names = identifiers(program.components.map(({ name }) => name));
  }

  text(): string {
    const { choices, timers, components } = this.#program;
    const settle = this.#settle();
    const rules = [
      ...choices.map((choice) =>
        this.#rule(
          choice.says === undefined ? choice.id : `${choice.id}: ${choice.says}`,
          this.#offered(choice),
          this.#taken(choice.move),
        ),
      ),
      ...timers.map((timer) =>
        this.#rule(`timer ${timer.part}: ${timer.timer}`, this.#offered(timer), this.#taken(timer.move)),
      ),
    ];
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
      ...time.functions,
      'startstate begin',
      ...components.map(({ initial }, component) => `  ${this.#at(component)} := ${initial};`),
      'end;',
      '',
      ...rules,
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

  #rule(name: string, guard: string, effect: string): string {
    return `rule "${commentText(name).replaceAll('"', "'")}"\n  ${guard} ==>\nbegin\n${effect}\nend;\n`;
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

  #offered({ move, blockers }: { move: ProgramChoice['move']; blockers: readonly Blocker[] }): string {
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

  /** The statements that a pick comes to, on the variables or on copies of them. */
  #taken(move: ProgramChoice['move'], at = (component: number): string => this.#at(component)): string {
    const all = this.#names.map((_, component) => at(component));
    if ('deliveries' in move) return `  settle(${[...this.#first(move.deliveries), ...all].join(', ')});`;
    const { component, next } = move;
    if (speaks(move)) {
      return `  settle(${[1, this.#starter(move), ...zeros(this.#widest() - 1), ...all].join(', ')});`;
    }
    return `  ${at(component)} := ${this.#next(component, next, at(component))};`;
  }

  /** A pick that speaks is delivered like an event that only it can send; this is the event's number. */
  #starter(move: Move): number {
    return this.#program.deliveries.length + this.#starters().indexOf(move);
  }

  #starters(): Move[] {
    const { choices, timers } = this.#program;
    return [...choices, ...timers].flatMap(({ move }) => ('next' in move && speaks(move) ? [move] : []));
  }

  #first(deliveries: readonly number[]): number[] {
    return [deliveries.length, ...deliveries, ...zeros(this.#widest() - deliveries.length)];
  }

  /** The largest number of events that a choice delivers to several components. */
  #widest(): number {
    const counts = this.#program.choices.map(({ move }) =>
      'deliveries' in move ? move.deliveries.length : 1,
    );
    return Math.max(1, ...counts);
  }

  /** Delivers events, first in, first out, until no more is said. */
  #settle(): string {
    const { deliveries, talks } = this.#program;
    const moves: readonly Move[] = [...deliveries, ...this.#starters()];
    const last = Math.max(0, moves.length - 1);
    const most = Math.min(longestTalk(this.#program, this.#widest()), deliveriesMax);
    const first = zeros(this.#widest()).map((_, place) => `first_${place}`);
    const parameters = [
      `count: 0 .. ${this.#widest()}`,
      ...first.map((name) => `${name}: 0 .. ${last}`),
      ...this.#names.map((_, component) => `var now_${component}: ${this.#type(component)}`),
    ];
    const cases = moves.map((move, place) => {
      const now = `now_${move.component}`;
      const talk = speaks(move) ? [`      talk := ${this.#read(move.component, move.talk, now)};`] : [];
      return [
        `    case ${place}:`,
        ...talk,
        `      ${now} := ${this.#next(move.component, move.next, now)};`,
      ].join('\n');
    });
    const said = talks.map((each, talk) =>
      [
        `    case ${talk}:`,
        ...each.map((delivery) => `      queue[waiting] := ${delivery}; waiting := waiting + 1;`),
      ].join('\n'),
    );
    return [
      '-- Delivers events, first in, first out, until no more is said.',
      `procedure settle(${parameters.join('; ')});`,
      'var',
      `  queue: array [0 .. ${most}] of 0 .. ${last};`,
      `  waiting: 0 .. ${most + 1};`,
      `  read: 0 .. ${most + 1};`,
      `  talk: 0 .. ${talks.length - 1};`,
      'begin',
      '  waiting := count;',
      '  read := 0;',
      ...first.map((name, place) => `  queue[${place}] := ${name};`),
      '  while read < waiting do',
      '    talk := 0;',
      ...(cases.length === 0 ? [] : ['    switch queue[read]', ...cases, '    end;']),
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
    const { components, timers, choices } = this.#program;
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
    const due = timers.map((timer) => `  if ${this.#offered(timer)} then return false; end;`);
    const copy = (component: number): string => `then_${component}`;
    const urgent = choices
      .filter((choice) => choice.urgent)
      .map(
        (choice) => `  if ${this.#offered(choice)} then
${this.#names.map((_, component) => `    ${copy(component)} := ${this.#at(component)};`).join('\n')}
  ${this.#taken(choice.move, copy)}
    if ${this.#names.map((_, component) => `${copy(component)} != ${this.#at(component)}`).join(' | ')} then return false; end;
  end;`,
      );
    const text = [
      '-- Time passes if a timer runs, none is due, and no urgent choice would change anything.',
      'function time_may_pass(): boolean;',
      'var',
      ...this.#names.map((_, component) => `  ${copy(component)}: ${this.#type(component)};`),
      'begin',
      `  if !(${running.join(' | ')}) then return false; end;`,
      ...due,
      ...urgent,
      '  return true;',
      'end;',
      '',
    ].join('\n');
    const late = this.#functions.slice(before);
    this.#functions.length = before;
    return {
      functions: [...late, text],
      rules: [this.#rule('time: one tick', 'time_may_pass()', effect.join('\n'))],
    };
  }
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0);

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
