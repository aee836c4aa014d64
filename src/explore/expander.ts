/**
 * All steps from a packed global state, in the order of `World.picks`: choices in their order, then due timers by
 * part and id, then time.
 *
 * A step of one component that says nothing to others is one look-up and one changed bit field. Only steps that
 * travel between components are run event by event, through the same remembered columns. Steps that change nothing
 * are counted and otherwise left out: nothing that is asked of the results needs them.
 */
import { deliveriesMax, type World } from '../semantics/world.ts';
import { type ComponentSpace, endlessTalk } from './component-space.ts';
import type { Deliveries } from './deliveries.ts';
import type { JudgedEffect } from './judge.ts';
import { fits, type Layout } from './layout.ts';
import { described, type Offers, restless, running } from './offers.ts';
import { type ExpandWord, writeExpandWord } from './one-word.ts';
import { timePick } from './picks.ts';
import { type Listener, notOnlyListening, type Script, Scripts } from './scripts.ts';
import { type Steps, unknownStep } from './steps.ts';
import { refusal, type Symmetry } from './symmetry.ts';

/** Expands states; results pile up until {@link Expander.clear}. */
export class Expander {
  /** The results' packed states, one after another. */
  words = new Int32Array(0);
  /** The results' picks. */
  picks = new Int32Array(0);
  /** How many results there are. */
  count = 0;
  /** How many steps the state that was last expanded has, those that change nothing included. */
  steps = 0;
  /** The local states of the state that was last expanded, by component. */
  readonly locals: Int32Array;
  /** The effects of the steps of the state that was last expanded, as far as they are still judged. */
  readonly effects: JudgedEffect[] = [];
  /** For each of those, the step's pick. */
  readonly effectPicks: number[] = [];
  /** Whether the state that was last expanded lets time pass. */
  offersTime = false;
  /** Some timer still runs in the state that was last expanded. */
  hasRunning = false;
  /** Whether the state last expanded has a timer that runs, or is due in a process that is not paused. */
  timed = false;
  /** Every part of the state that was last expanded is final or tagged `rest`. */
  mayRest = false;
  /** By part: some timer of it has fired. */
  readonly fired: Uint8Array;
  readonly #world: World;
  readonly #symmetry: Symmetry | undefined;
  readonly #spaces: readonly ComponentSpace[];
  readonly #deliveries: Deliveries;
  readonly #offers: Offers;
  readonly #steps: Steps;
  readonly #scripts: Scripts;
  /** For each choice: it has been offered. */
  readonly #offered: Int32Array;
  #layout: Layout;
  readonly #bits: Int32Array;
  readonly #after: Int32Array;
  readonly #queue: number[] = [];
  readonly #componentOfPart: Int32Array;
  /** The number of steps made when the layout was last compared. */
  #checked = -1;
  #described = 0;
  /** A step must be made event by event. */
  #alone = false;
  readonly #stateWord = new Int32Array(1);
  /** The code for states of one word, and the version of the columns that it was written for. */
  #code: ExpandWord | undefined;
  #written = -1;

  constructor(
    world: World,
    spaces: readonly ComponentSpace[],
    deliveries: Deliveries,
    offers: Offers,
    steps: Steps,
    offered: Int32Array,
    layout: Layout,
    symmetry?: Symmetry,
  ) {
    this.#symmetry = symmetry;
    this.#world = world;
    this.#spaces = spaces;
    this.#deliveries = deliveries;
    this.#offers = offers;
    this.#steps = steps;
    this.#scripts = new Scripts(steps, deliveries, spaces.length);
    this.#offered = offered;
    this.#layout = layout;
    this.locals = new Int32Array(spaces.length);
    this.fired = new Uint8Array(world.system.parts.length);
    this.#after = new Int32Array(spaces.length);
    this.#bits = new Int32Array(offers.stride);
    this.#componentOfPart = Int32Array.from(world.system.parts, (part) => part.component);
    this.#makeRoom();
  }

  /** How states are packed. */
  get layout(): Layout {
    return this.#layout;
  }

  set layout(layout: Layout) {
    this.#layout = layout;
    this.#written = -1;
    this.clear();
    this.words = new Int32Array(0);
    this.#makeRoom();
  }

  /** Forgets the results, or all after the first few. */
  clear(keep = 0): void {
    this.count = keep;
  }

  /** Whether some component has outgrown the layout, so that the last results are worthless. */
  outgrown(): boolean {
    if (this.#steps.made === this.#checked) return false;
    this.#checked = this.#steps.made;
    return !fits(
      this.#layout,
      this.#spaces.map((space) => space.size),
    );
  }

  /** How many things have been asked of XState so far, roughly: a measure of time, not of states. */
  asked(): number {
    return this.#steps.made + this.#described;
  }

  /** Packs local states, one for each component. */
  pack(locals: ArrayLike<number>, into: Int32Array, at: number): void {
    const { words, wordOf, shiftOf } = this.#layout;
    for (let word = 0; word < words; word += 1) into[at + word] = 0;
    for (let component = 0; component < locals.length; component += 1) {
      const place = at + (wordOf[component] as number);
      into[place] =
        (into[place] as number) | ((locals[component] as number) << (shiftOf[component] as number));
    }
  }

  /** Unpacks the local states, one for each component. */
  unpack(source: Int32Array, at: number, locals: Int32Array): void {
    const { wordOf, shiftOf, maskOf } = this.#layout;
    for (let component = 0; component < locals.length; component += 1) {
      const word = source[at + (wordOf[component] as number)] as number;
      locals[component] = (word >>> (shiftOf[component] as number)) & (maskOf[component] as number);
    }
  }

  /** Appends the steps of the state at a place in an array of words. */
  expand(source: Int32Array, at: number): void {
    const before = this.count;
    if (this.effects.length > 0) this.#forgetEffects();
    if (this.#layout.words !== 1 || !this.#expandWord(source[at] as number)) this.#expandByLoops(source, at);
    if (this.#symmetry !== undefined) this.#sort(this.#symmetry, before);
  }

  #expandByLoops(source: Int32Array, at: number): void {
    this.steps = 0;
    this.unpack(source, at, this.locals);
    const flags = this.#gather();
    this.mayRest = (flags & restless) === 0;
    this.hasRunning = (flags & running) !== 0;
    const urgent = this.#expandChoices(source, at);
    const due = this.#expandTimers(source, at);
    this.timed = this.hasRunning || due;
    this.offersTime = this.hasRunning && !due && !urgent;
    if (this.offersTime) this.#expandTime(source, at);
  }

  /** All steps of a state that is one word, by code written for the system. @returns false if it must be done by loops */
  #expandWord(state: number): boolean {
    while (this.picks.length - this.count < this.#steps.choices.length + 2) this.#makeRoom();
    if (this.#written !== this.#steps.version) this.#write();
    return this.#code?.(this, state, this.#offered) ?? false;
  }

  /** Writes the code anew: the columns have grown, or states are packed otherwise. */
  #write(): void {
    const listeners = (choice: number): readonly Listener[] => this.#scripts.first(choice).listeners;
    this.#code = writeExpandWord(this.#steps, this.#offers, this.#layout, listeners);
    this.#written = this.#steps.version;
  }

  /** For the code: makes the steps of the timers that are due. */
  fireSlowly(state: number): boolean {
    this.#stateWord[0] = state;
    this.#gather();
    return this.#expandTimers(this.#stateWord, 0);
  }

  /** For the code: lets time pass. */
  tickSlowly(state: number): void {
    this.#stateWord[0] = state;
    this.#expandTime(this.#stateWord, 0);
  }

  /** Puts one state of its orbit in the place of each new result. */
  #sort(symmetry: Symmetry, before: number): void {
    const { words } = this.#layout;
    for (let result = before; result < this.count; result += 1) {
      this.unpack(this.words, result * words, this.#after);
      symmetry.sort(this.#after);
      this.pack(this.#after, this.words, result * words);
    }
  }

  /** Ors the components' rows; makes those that are missing. */
  #gather(): number {
    const bits = this.#bits;
    const { rows, stride } = this.#offers;
    const { locals } = this;
    const first = rows[0] as Int32Array;
    const firstStart = (locals[0] as number) * stride;
    let all = first[firstStart] as number;
    for (let word = 0; word < stride; word += 1) bits[word] = first[firstStart + word] as number;
    for (let component = 1; component < locals.length; component += 1) {
      const row = rows[component] as Int32Array;
      const start = (locals[component] as number) * stride;
      all &= row[start] as number;
      for (let word = 0; word < stride; word += 1) {
        bits[word] = (bits[word] as number) | (row[start + word] as number);
      }
    }
    if ((all & described) === 0) {
      this.#described += 1;
      for (const [component, local] of locals.entries()) this.#offers.describe(component, local);
      return this.#gather();
    }
    return bits[0] as number;
  }

  /** @returns whether an urgent choice would change the state */
  #expandChoices(source: Int32Array, at: number): boolean {
    const { choiceWords, all, urgent } = this.#offers;
    const { choices, componentOfChoice } = this.#steps;
    const { locals } = this;
    let hasUrgent = false;
    for (let word = 0; word < choiceWords; word += 1) {
      let offered = (all[word] as number) & ~(this.#bits[1 + word] as number);
      this.#offered[word] = (this.#offered[word] as number) | offered;
      for (; offered !== 0; offered &= offered - 1) {
        const choice = (word << 5) + 31 - Math.clz32(offered & -offered);
        const component = componentOfChoice[choice] as number;
        const before = this.count;
        if (component < 0) this.#together(source, at, choice);
        else {
          const local = locals[component] as number;
          let entry = (choices[choice] as Int32Array)[local] as number;
          if (entry === unknownStep) entry = this.#steps.makeChoice(choice, local);
          if (entry >= 0) this.#near(source, at, choice, component, entry);
          else this.#far(source, at, choice, component, entry);
        }
        if (this.count > before && (offered & -offered & (urgent[word] as number)) !== 0) hasUrgent = true;
      }
    }
    return hasUrgent;
  }

  /**
   * For the code: makes the step of a choice of a state that is one word, whatever it takes.
   *
   * @returns whether it changes the state
   */
  takeSlowly(choice: number, state: number): boolean {
    const component = this.#steps.componentOfChoice[choice] as number;
    const before = this.count;
    const source = this.#stateWord;
    source[0] = state;
    if (component < 0) {
      const next = this.#togetherWord(state, choice);
      if (this.#alone) this.#togetherEventByEvent(source, 0, choice);
      else this.#appendWord(state, next, choice);
      return this.count > before;
    }
    const local = this.locals[component] as number;
    let entry = this.#steps.choices[choice]?.[local] as number;
    if (entry === unknownStep) entry = this.#steps.makeChoice(choice, local);
    if (entry >= 0) {
      this.#appendWord(
        state,
        state ^ ((local ^ entry) << (this.#layout.shiftOf[component] as number)),
        choice,
      );
      return this.count > before;
    }
    const next = this.#followWord(state, this.#scripts.far(component, entry), choice);
    if (this.#alone) this.#farEventByEvent(source, 0, choice, component, entry);
    else this.#appendWord(state, next, choice);
    return this.count > before;
  }

  #appendWord(state: number, next: number, pick: number): void {
    this.steps += 1;
    if (next === state) return;
    this.words[this.count] = next;
    this.picks[this.count] = pick;
    this.count += 1;
  }

  /** Where a choice that several components take leads, unless `#alone` says that it must be made event by event. */
  #togetherWord(state: number, choice: number): number {
    const { listeners } = this.#scripts.first(choice);
    const { shiftOf } = this.#layout;
    const { locals } = this;
    let next = state;
    for (let each = 0; each < listeners.length; each += 1) {
      const listener = listeners[each] as Listener;
      const { component } = listener;
      const local = locals[component] as number;
      let to = listener.next[local] as number;
      if (to === unknownStep) to = this.#scripts.hear(listener, local);
      if (to === notOnlyListening) {
        const script = this.#scripts.joint(choice, locals);
        this.#alone = script === undefined;
        return script === undefined ? state : this.#followWord(state, script, choice);
      }
      next ^= (local ^ to) << (shiftOf[component] as number);
    }
    this.#alone = false;
    return next;
  }

  /** Where a script leads, unless `#alone` says that the step must be made event by event. */
  #followWord(state: number, script: Script, pick: number): number {
    const { listeners, speaker } = script;
    const { shiftOf } = this.#layout;
    const { locals } = this;
    let next = state ^ (((locals[speaker] as number) ^ script.next) << (shiftOf[speaker] as number));
    for (let each = 0; each < listeners.length; each += 1) {
      const listener = listeners[each] as Listener;
      const { component } = listener;
      const local = locals[component] as number;
      let to = listener.next[local] as number;
      if (to === unknownStep) to = this.#scripts.hear(listener, local);
      if (to === notOnlyListening) {
        this.#alone = true;
        return state;
      }
      next ^= (local ^ to) << (shiftOf[component] as number);
    }
    this.#alone = false;
    if (script.effects.length > 0) this.#noteEffects(script.effects, pick);
    return next;
  }

  /** @returns whether any timer was due */
  #expandTimers(source: Int32Array, at: number): boolean {
    const { choiceWords, partWords } = this.#offers;
    let any = false;
    for (let word = 0; word < partWords; word += 1) {
      const dueWord = this.#bits[1 + choiceWords + word] as number;
      let due = dueWord & ~(this.#bits[1 + choiceWords + partWords + word] as number);
      for (; due !== 0; due &= due - 1) {
        any = true;
        const part = (word << 5) + 31 - Math.clz32(due & -due);
        this.fired[part] = 1;
        const component = this.#componentOfPart[part] as number;
        const local = this.locals[component] as number;
        const timers = this.#steps.dueTimers(component, local);
        for (let place = 0; place < timers.length; place += 1) {
          const timer = timers[place] as (typeof timers)[number];
          if (timer.part !== part) continue;
          const entry = this.#steps.fire(component, local, timer);
          if (entry >= 0) this.#near(source, at, timer.pick, component, entry);
          else this.#far(source, at, timer.pick, component, entry);
        }
      }
    }
    return any;
  }

  #expandTime(source: Int32Array, at: number): void {
    const { locals } = this;
    const { ticks } = this.#steps;
    for (let component = 0; component < locals.length; component += 1) {
      const local = locals[component] as number;
      const next = (ticks[component] as Int32Array)[local] as number;
      this.#after[component] = next === unknownStep ? this.#steps.makeTick(component, local) : next;
    }
    this.#append(source, at, timePick);
  }

  /** A step that changes one component and nothing else. */
  #near(source: Int32Array, at: number, pick: number, component: number, next: number): void {
    this.steps += 1;
    const local = this.locals[component] as number;
    if (next === local) return;
    const { words, wordOf, shiftOf } = this.#layout;
    const place = this.#room(pick);
    const results = this.words;
    for (let word = 0; word < words; word += 1) results[place + word] = source[at + word] as number;
    const changed = wordOf[component] as number;
    results[place + changed] =
      (source[at + changed] as number) ^ ((local ^ next) << (shiftOf[component] as number));
  }

  /** A step that begins in one component and speaks to others, or has an effect that is judged. */
  #far(source: Int32Array, at: number, pick: number, component: number, entry: number): void {
    if (this.#follow(source, at, pick, this.#scripts.far(component, entry))) return;
    this.#farEventByEvent(source, at, pick, component, entry);
  }

  #farEventByEvent(source: Int32Array, at: number, pick: number, component: number, entry: number): void {
    const step = this.#steps.far(entry);
    if (step.effects.length > 0) this.#noteEffects(step.effects, pick);
    this.#after.set(this.locals);
    this.#after[component] = step.next;
    this.#deliver(step.outgoing, step.received, pick);
    this.#append(source, at, pick);
  }

  /** A choice that delivers to several components. */
  #together(source: Int32Array, at: number, choice: number): void {
    const script = this.#scripts.joint(choice, this.locals);
    if (script !== undefined && this.#follow(source, at, choice, script)) return;
    this.#togetherEventByEvent(source, at, choice);
  }

  #togetherEventByEvent(source: Int32Array, at: number, choice: number): void {
    this.#after.set(this.locals);
    this.#deliver(this.#steps.joint[choice] as readonly number[], 0, choice);
    this.#append(source, at, choice);
  }

  /** Appends what a script leads to. @returns false, and has done nothing, if a listener does more than listen */
  #follow(source: Int32Array, at: number, pick: number, script: Script): boolean {
    const { listeners, speaker } = script;
    const { locals } = this;
    for (let each = 0; each < listeners.length; each += 1) {
      const listener = listeners[each] as Listener;
      const local = locals[listener.component] as number;
      let to = listener.next[local] as number;
      if (to === unknownStep) to = this.#scripts.hear(listener, local);
      if (to === notOnlyListening) return false;
    }
    this.steps += 1;
    if (script.effects.length > 0) this.#noteEffects(script.effects, pick);
    const { words, wordOf, shiftOf } = this.#layout;
    const place = this.#room(pick);
    const results = this.words;
    for (let word = 0; word < words; word += 1) results[place + word] = source[at + word] as number;
    let changed = 0;
    if (speaker >= 0) {
      const change = script.next ^ (locals[speaker] as number);
      changed = change;
      const word = place + (wordOf[speaker] as number);
      results[word] = (results[word] as number) ^ (change << (shiftOf[speaker] as number));
    }
    for (let each = 0; each < listeners.length; each += 1) {
      const { component, next } = listeners[each] as Listener;
      const local = locals[component] as number;
      const change = (next[local] as number) ^ local;
      changed |= change;
      const word = place + (wordOf[component] as number);
      results[word] = (results[word] as number) ^ (change << (shiftOf[component] as number));
    }
    if (changed === 0) this.count -= 1;
    return true;
  }

  /** Delivers to the state in `#after`, first in, first out, until no more is said. */
  #deliver(first: readonly number[], receivedBefore: number, pick: number): void {
    const queue = this.#queue;
    const after = this.#after;
    let received = receivedBefore;
    let spoken = receivedBefore > 0 && first.length > 0 ? 1 : 0;
    let waiting = first.length;
    for (let place = 0; place < waiting; place += 1) queue[place] = first[place] as number;
    for (let read = 0; read < waiting; read += 1) {
      const delivery = queue[read] as number;
      const component = this.#deliveries.component(delivery);
      const entry = this.#steps.receive(delivery, after[component] as number);
      if (entry >= 0) {
        after[component] = entry;
        received += 1;
      } else {
        const step = this.#steps.far(entry);
        after[component] = step.next;
        received += step.received;
        if (step.outgoing.length > 0) spoken += 1;
        for (let place = 0; place < step.outgoing.length; place += 1) {
          queue[waiting] = step.outgoing[place] as number;
          waiting += 1;
        }
        if (step.effects.length > 0) this.#noteEffects(step.effects, pick);
      }
      if (received > deliveriesMax) {
        const { to, event } = this.#deliveries.delivery(delivery);
        throw endlessTalk(this.#world.system.id, to, event);
      }
    }
    if (spoken > 1 && this.#symmetry !== undefined) {
      throw refusal(
        this.#world.system,
        'in one step two components speak to others, and in which order may depend on their names',
      );
    }
  }

  #noteEffects(effects: readonly JudgedEffect[], pick: number): void {
    for (const effect of effects) {
      if (effect.quest.found !== undefined) continue;
      this.effects.push(effect);
      this.effectPicks.push(pick);
    }
  }

  #forgetEffects(): void {
    while (this.effects.length > 0) this.effects.pop();
    while (this.effectPicks.length > 0) this.effectPicks.pop();
  }

  /** Appends the state in `#after`, unless it is the one that was expanded. */
  #append(source: Int32Array, at: number, pick: number): void {
    this.steps += 1;
    const { locals } = this;
    const after = this.#after;
    const { words, wordOf, shiftOf } = this.#layout;
    const place = this.#room(pick); // Before `words` is read: making room may replace it.
    const results = this.words;
    for (let word = 0; word < words; word += 1) results[place + word] = source[at + word] as number;
    let changed = 0;
    for (let component = 0; component < locals.length; component += 1) {
      const change = (after[component] as number) ^ (locals[component] as number);
      if (change === 0) continue;
      changed |= change;
      const word = place + (wordOf[component] as number);
      results[word] = (results[word] as number) ^ (change << (shiftOf[component] as number));
    }
    if (changed === 0) this.count -= 1;
  }

  /** Appends a result, whose words the caller writes at the place that is returned. */
  #room(pick: number): number {
    if (this.count === this.picks.length) this.#makeRoom();
    this.picks[this.count] = pick;
    const place = this.count * this.#layout.words;
    this.count += 1;
    return place;
  }

  #makeRoom(): void {
    const capacity = Math.max(1024, this.count * 2);
    const { words } = this.#layout;
    const longer = new Int32Array(capacity * words);
    longer.set(this.words.subarray(0, this.count * words));
    this.words = longer;
    const picks = new Int32Array(capacity);
    picks.set(this.picks.subarray(0, this.count));
    this.picks = picks;
  }
}
