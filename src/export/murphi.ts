/**
 * A system in the dialect of Murphi that Rumur reads: one scalar range for each component, and one rule a pick. The
 * tables are functions that decide by halves, since the language has no constant arrays. Rumur's states are the
 * checker's states, and its rules fired are the checker's edges.
 */
import { deliveriesMax } from '../semantics/world.ts';
import { commentText, identifiers } from './names.ts';
import {
  type Blocker,
  farOf,
  impossible,
  type Move,
  type Program,
  type ProgramChoice,
  speaks,
} from './program.ts';
import { longestTalk } from './talk.ts';

/** Writes a program in Murphi. */
export function toMurphi(program: Program, header: readonly string[]): string {
  return new Murphi(program, header).text();
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
  #read(component: number, values: readonly number[], at = this.#at(component)): string {
    const key = `${component} ${values.join()}`;
    let name = this.#columns.get(key);
    if (name === undefined) {
      name = `table_${this.#names[component]}_${this.#columns.size}`;
      this.#columns.set(key, name);
      const range = `${values.reduce((a, b) => Math.min(a, b))} .. ${values.reduce((a, b) => Math.max(a, b))}`;
      const body = decide(values, 0, values.length, '  ');
      this.#functions.push(`function ${name}(s: ${this.#type(component)}): ${range};\nbegin\n${body}end;\n`);
    }
    return `${name}(${at})`;
  }

  #offered({ move, blockers }: { move: ProgramChoice['move']; blockers: readonly Blocker[] }): string {
    const own = 'entries' in move ? [this.#possible(move.component, move.entries)] : [];
    const others = blockers.map(({ component, blocked }) =>
      this.#possible(
        component,
        blocked.map((each) => (each ? impossible : 0)),
      ),
    );
    return [...own, ...others].join(' & ') || 'true';
  }

  #possible(component: number, entries: readonly number[]): string {
    if (!entries.includes(impossible)) return 'true';
    const column = entries.map((entry) => (entry === impossible ? 0 : 1));
    return `${this.#read(component, column)} = 1`;
  }

  /** The statements that a pick comes to, on the variables or on copies of them. */
  #taken(move: ProgramChoice['move'], at = (component: number): string => this.#at(component)): string {
    const all = this.#names.map((_, component) => at(component));
    if ('deliveries' in move) return `  settle(${[...this.#first(move.deliveries), ...all].join(', ')});`;
    const { component, entries } = move;
    if (speaks(entries)) {
      return `  settle(${[1, this.#starter(move), ...zeros(this.#widest() - 1), ...all].join(', ')});`;
    }
    return `  ${at(component)} := ${this.#read(component, entries, at(component))};`;
  }

  /** A pick that speaks is delivered like an event that only it can send; this is the event's number. */
  #starter(move: Move): number {
    return this.#program.deliveries.length + this.#starters().indexOf(move);
  }

  #starters(): Move[] {
    const { choices, timers } = this.#program;
    return [...choices, ...timers].flatMap(({ move }) =>
      'entries' in move && speaks(move.entries) ? [move] : [],
    );
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
    const { deliveries, far } = this.#program;
    const moves = [...deliveries, ...this.#starters()];
    const most = Math.min(longestTalk(this.#program, this.#widest()), deliveriesMax);
    const first = zeros(this.#widest()).map((_, place) => `first_${place}`);
    const parameters = [
      `count: 0 .. ${this.#widest()}`,
      ...first.map((name) => `${name}: 0 .. ${Math.max(0, moves.length - 1)}`),
      ...this.#names.map((_, component) => `var now_${component}: ${this.#type(component)}`),
    ];
    const cases = moves.map(({ component, entries }, place) => {
      const read = this.#read(component, entries, `now_${component}`);
      if (!speaks(entries)) return `    case ${place}: now_${component} := ${read};`;
      return `    case ${place}:
      entry := ${read};
      if entry >= 0 then now_${component} := entry; else
        now_${component} := ${this.#farColumn(
          'next',
          far.map(({ next }) => next),
        )};
        said := 0;
        while said < ${this.#farColumn(
          'count',
          far.map(({ outgoing }) => outgoing.length),
        )} do
          queue[waiting] := ${this.#farSaid()};
          waiting := waiting + 1;
          said := said + 1;
        end;
      end;`;
    });
    const entries = far.length === 0 ? [] : [`  entry: ${-1 - far.length} .. ${this.#largest()};`];
    const said =
      far.length === 0 ? [] : [`  said: 0 .. ${Math.max(...far.map(({ outgoing }) => outgoing.length))};`];
    return [
      `procedure settle(${parameters.join('; ')});`,
      'var',
      `  queue: array [0 .. ${most}] of 0 .. ${Math.max(0, moves.length - 1)};`,
      `  waiting: 0 .. ${most + 1};`,
      `  read: 0 .. ${most + 1};`,
      ...entries,
      ...said,
      'begin',
      '  waiting := count;',
      '  read := 0;',
      ...first.map((name, place) => `  queue[${place}] := ${name};`),
      '  while read < waiting do',
      ...(cases.length === 0 ? [] : ['    switch queue[read]', ...cases, '    end;']),
      '    read := read + 1;',
      '  end;',
      'end;',
      '',
    ].join('\n');
  }

  #largest(): number {
    return Math.max(...this.#program.components.map(({ size }) => size)) - 1;
  }

  /** What a far entry, which lies in `entry`, leads to. */
  #farColumn(name: string, values: readonly number[]): string {
    const range = `0 .. ${Math.max(...values)}`;
    this.#define(
      `far_${name}`,
      `function far_${name}(s: 0 .. ${values.length - 1}): ${range};\nbegin\n${decide(values, 0, values.length, '  ')}end;\n`,
    );
    return `far_${name}(${farOf(0)} - entry)`;
  }

  /** What is said in a far entry, one after another; `said` counts. */
  #farSaid(): string {
    const { far, deliveries } = this.#program;
    const starts = far.map((_, place) =>
      far.slice(0, place).reduce((sum, { outgoing }) => sum + outgoing.length, 0),
    );
    const all = far.flatMap(({ outgoing }) => outgoing);
    this.#define(
      'far_said',
      `function far_said(s: 0 .. ${all.length - 1}): 0 .. ${deliveries.length - 1};\nbegin\n${decide(all, 0, all.length, '  ')}end;\n`,
    );
    return `far_said(${this.#farColumn('start', starts)} + said)`;
  }

  #define(name: string, text: string): void {
    if (this.#columns.has(name)) return;
    this.#columns.set(name, name);
    this.#functions.push(text);
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
        ? [`  ${this.#at(component)} := ${this.#read(component, ticks)};`]
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

/** Statements that return a value for each number in `s`, by halves; runs of the same value are one statement. */
function decide(values: readonly number[], from: number, to: number, indent: string): string {
  const first = values[from] as number;
  let same = from + 1;
  while (same < to && values[same] === first) same += 1;
  if (same === to) return `${indent}return ${first};\n`;
  const middle = (from + to) >> 1;
  const inner = `${indent} `;
  return `${indent}if s < ${middle} then\n${decide(values, from, middle, inner)}${indent}else\n${decide(values, middle, to, inner)}${indent}end;\n`;
}
