/**
 * A system in Promela, the language of Spin: one process that repeats, one option a pick, and C tables that say where
 * each leads. A component is one variable. Each option is a single transition of Spin, so Spin's states are the
 * checker's states and its transitions the checker's edges.
 */
import { deliveriesMax } from '../semantics/world.ts';
import { CTable, talkTables } from './c-tables.ts';
import { commentText, identifiers } from './names.ts';
import {
  type Blocker,
  impossible,
  type Move,
  type Program,
  type ProgramChoice,
  type ProgramComponent,
  speaks,
} from './program.ts';

/** Writes a program in Promela. */
export function toPromela(program: Program, header: readonly string[]): string {
  return new Promela(program, header).text();
}

class Promela {
  readonly #program: Program;
  readonly #header: readonly string[];
  readonly #names: readonly string[];
  readonly #tables: readonly CTable[];

  constructor(program: Program, header: readonly string[]) {
    this.#program = program;
    this.#header = header;
    this.#names = identifiers(program.components.map(({ name }) => name));
    this.#tables = program.components.map(
      ({ size }, component) => new CTable(`table_${this.#names[component]}`, size),
    );
  }

  text(): string {
    const { choices, timers, components } = this.#program;
    const options = [
      ...choices.map((choice) => this.#option(this.#offered(choice), this.#taken(choice.move), says(choice))),
      ...timers.map(({ part, timer, move, blockers }) =>
        this.#option(this.#offered({ move, blockers }), this.#taken(move), `timer ${part}: ${timer}`),
      ),
      ...this.#timeOption(),
    ];
    const functions = this.#functions();
    return [
      '/*',
      ...this.#header.map((line) => ` * ${commentText(line)}`.trimEnd()),
      ' */',
      '',
      ...components.map((component, place) => this.#declaration(component, place)),
      '',
      ...this.#tables.flatMap((table) => table.pieces()).map(declared),
      declared(talkTables(this.#program).join('\n')),
      `c_code {\n${functions}\n}`,
      '',
      'active proctype system() {',
      '  do',
      ...options,
      '  od',
      '}',
      '',
    ].join('\n');
  }

  /** The state: one variable for each component, of the smallest type. */
  #declaration({ name, size, initial }: ProgramComponent, place: number): string {
    const type = size <= 256 ? 'byte' : size <= 32_768 ? 'short' : 'int';
    return `${type} at_${this.#names[place]} = ${initial}; /* ${commentText(name)}: ${size} local states */`;
  }

  #option(guard: string, effect: string, comment: string): string {
    return `  :: d_step { c_expr { ${guard} } -> c_code { ${effect} } } /* ${commentText(comment)} */`;
  }

  /** What a column says of the local state that a component is in. */
  #read(component: number, values: readonly number[]): string {
    const table = this.#tables[component] as CTable;
    return `${table.name}[${this.#now(component)}][${table.column(values)}]`;
  }

  #now(component: number): string {
    return `now.at_${this.#names[component]}`;
  }

  #offered({ move, blockers }: { move: ProgramChoice['move']; blockers: readonly Blocker[] }): string {
    const own = 'next' in move ? [`${this.#read(move.component, move.next)} != ${impossible}`] : [];
    const others = blockers.map(
      ({ component, blocked }) =>
        `${this.#read(
          component,
          blocked.map((each) => (each ? impossible : 0)),
        )} == 0`,
    );
    return [...own, ...others].join(' && ') || '1';
  }

  #taken(move: ProgramChoice['move']): string {
    if ('next' in move) return speaks(move) ? `${this.#moved(move)} settle();` : this.#moved(move);
    const queue = move.deliveries.map((delivery, place) => `queue[${place}] = ${delivery};`);
    return `${queue.join(' ')} waiting = ${move.deliveries.length}; settle();`;
  }

  #moved(move: Move): string {
    const next = this.#read(move.component, move.next);
    if (!speaks(move)) return `${this.#now(move.component)} = ${next};`;
    return `move_${this.#names[move.component]}(${next}, ${this.#read(move.component, move.talk)});`;
  }

  #timeOption(): string[] {
    const { components } = this.#program;
    if (!components.some(({ running }) => running.includes(true))) return [];
    const ticks = components.flatMap(({ ticks }, component) =>
      ticks.some((next, local) => next !== local)
        ? [`${this.#now(component)} = ${this.#read(component, ticks)};`]
        : [],
    );
    return [this.#option('TIME_MAY_PASS', ticks.join(' ') || ';', 'time: one tick')];
  }

  /** The C functions that the options call. */
  #functions(): string {
    return [
      `static int queue[${deliveriesMax + 1 + Math.max(...this.#mostQueued())}];`,
      'static int waiting;',
      ...this.#moves(),
      this.#settle(),
      this.#urgent(),
      this.#timeMayPass(),
    ].join('\n');
  }

  /** How many events are queued at once. */
  #mostQueued(): number[] {
    const { talks, choices } = this.#program;
    return [
      ...talks.map(({ length }) => length),
      ...choices.map(({ move }) => ('deliveries' in move ? move.deliveries.length : 0)),
    ];
  }

  /** For each component: moves it, and queues what it says. */
  #moves(): string[] {
    return this.#names.map(
      (name, component) => `static void move_${name}(int next, int talk) {
  int said;
  ${this.#now(component)} = next;
  for (said = talk_start[talk]; said < talk_start[talk + 1]; said++) queue[waiting++] = talk_said[said];
}`,
    );
  }

  /** Delivers what is queued, first in, first out, until no more is said. */
  #settle(): string {
    const cases = this.#program.deliveries.map(
      (delivery, place) =>
        `    case ${place}: ${this.#moved(delivery)} break; /* ${commentText(delivery.says)} */`,
    );
    return `static void settle(void) {
  int read;
  for (read = 0; read < waiting; read++) {
    if (waiting > ${deliveriesMax}) { printf("parts never stop talking to each other\\n"); exit(1); }
    switch (queue[read]) {
${cases.join('\n')}
    }
  }
  waiting = 0;
}`;
  }

  /** Whether an urgent choice is offered that would change anything. */
  #urgent(): string {
    const urgent = this.#program.choices.filter((choice) => choice.urgent);
    const restore = this.#names.map((_, component) => `${this.#now(component)} = was_${component};`);
    const tests = urgent.map((choice) => {
      const offered = this.#offered(choice);
      if ('next' in choice.move && !speaks(choice.move)) {
        const { component, next } = choice.move;
        return `  if (${offered} && ${this.#read(component, next)} != ${this.#now(component)}) return 1;`;
      }
      const changed = this.#names.map((_, component) => `${this.#now(component)} != was_${component}`);
      return `  if (${offered}) {
    ${this.#taken(choice.move)}
    changed = ${changed.join(' || ')};
    ${restore.join(' ')}
    if (changed) return 1;
  }`;
    });
    return `static int urgent(void) {
  int changed${this.#names.map((_, component) => `, was_${component} = ${this.#now(component)}`).join('')};
${tests.join('\n')}
  return 0;
}`;
  }

  #timeMayPass(): string {
    const { components, timers } = this.#program;
    const running = components.flatMap(({ running }, component) =>
      running.includes(true) ? [this.#read(component, running.map(Number))] : [],
    );
    const due = timers.map((timer) => `  if (${this.#offered(timer)}) return 0;`);
    return `static int time_may_pass(void) {
  if (!(${running.join(' || ') || '0'})) return 0;
${due.join('\n')}
  return !urgent();
}
/* Spin takes a call within c_expr for a side effect; this has none that lasts. */
\\#define TIME_MAY_PASS time_may_pass()`;
  }
}

/** The comment beside a choice. */
function says({ id, says: words }: ProgramChoice): string {
  return words === undefined ? id : `${id}: ${words}`;
}

const declared = (text: string): string => `c_decl {\n${text}\n}`;
