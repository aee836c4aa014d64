/**
 * What a step does to every component, when at most one of them speaks to the others: then the order of events is
 * settled by that one alone, and each of the others goes to where its image is. Steps in which two speak are made event
 * by event.
 */
import { unknownStep } from '../steps.ts';
import { type Image, type Images, onItsOwn } from './images.ts';
import { farStep, type Program } from './program.ts';

/** What a step does to the components that only listen. */
export interface Script {
  /** Where each of them goes. */
  readonly moves: readonly Image[];
  /** The component that speaks, or -1; */
  readonly speaker: number;
  /** where it goes; */
  readonly next: number;
  /** and numbers of the effects on its way. */
  readonly effects: readonly number[];
}

/** All scripts of a program. */
export class Scripts {
  readonly #program: Program;
  readonly #images: Images;
  readonly #far: (Script | undefined)[] = [];
  /** By choice: where each of its components goes by what the choice itself delivers. */
  readonly #first: (readonly Image[] | undefined)[] = [];
  readonly #silent: (Script | undefined)[] = [];
  /** By choice and component that speaks, by its local state. */
  readonly #spoken: Map<number, Script>[] = [];

  constructor(program: Program, images: Images) {
    this.#program = program;
    this.#images = images;
  }

  /** The script of a step that begins in one component and speaks. */
  far(component: number, entry: number): Script {
    const number = unknownStep - 1 - entry;
    let script = this.#far[number];
    if (script === undefined) {
      const { next, outgoing, effects } = farStep(this.#program, entry);
      script = { moves: this.#movesOf(outgoing), speaker: component, next, effects };
      this.#far[number] = script;
    }
    return script;
  }

  /**
   * The script of a choice that several components take, in a state. Undefined if two speak.
   *
   * @param inner - a component that is taken to listen only
   */
  joint(choice: number, locals: Int32Array, inner: number): Script | undefined {
    const first = this.#firstMoves(choice);
    let speaking: Image | undefined;
    for (const image of first) {
      if (image.component === inner || image.next[locals[image.component] as number] !== onItsOwn) continue;
      if (speaking !== undefined) return undefined;
      speaking = image;
    }
    if (speaking === undefined) {
      this.#silent[choice] ??= { moves: first, speaker: -1, next: 0, effects: [] };
      return this.#silent[choice];
    }
    const { component } = speaking;
    this.#spoken[choice] ??= new Map();
    const key = component * 2 ** 20 + (locals[component] as number);
    const known = this.#spoken[choice].get(key);
    if (known !== undefined) return known;
    const script = this.#speak(choice, component, locals[component] as number);
    this.#spoken[choice].set(key, script);
    return script;
  }

  #firstMoves(choice: number): readonly Image[] {
    this.#first[choice] ??= this.#movesOf(this.#program.joint[choice] as readonly number[]);
    return this.#first[choice];
  }

  /** The choice's own deliveries come first; what is said about them arrives after the last of them. */
  #speak(choice: number, component: number, local: number): Script {
    const program = this.#program;
    const deliveries = [...(program.joint[choice] as readonly number[])];
    const own = deliveries.filter((each) => program.componentOfDelivery[each] === component);
    const others = deliveries.filter((each) => program.componentOfDelivery[each] !== component);
    const effects: number[] = [];
    let at = local;
    for (const delivery of own) {
      const entry = program.deliveries[delivery]?.[at] as number;
      if (entry >= 0) at = entry;
      else {
        const far = farStep(program, entry);
        others.push(...far.outgoing);
        effects.push(...far.effects);
        at = far.next;
      }
    }
    return { moves: this.#movesOf(others), speaker: component, next: at, effects };
  }

  #movesOf(deliveries: readonly number[]): Image[] {
    const to = deliveries.map((each) => this.#program.componentOfDelivery[each] as number);
    return [...new Set(to)].map((component) =>
      this.#images.sequence(
        component,
        deliveries.filter((_, place) => to[place] === component),
      ),
    );
  }
}
