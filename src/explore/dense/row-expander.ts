/**
 * All steps from the states of one row at once.
 *
 * A row holds the states that differ in the innermost component only. A step of the others moves the row's bits to
 * another row as they are; a step of the innermost component, or one that tells it something, moves each bit to where
 * its image is. Only where the innermost component speaks to others is a state looked at on its own.
 *
 * What happens to the bits is the sink's business: a search adds them to what is known, and the look for time-locks asks
 * where they came from.
 */
import { deliveriesMax } from '../../semantics/world.ts';
import { lowest, ones } from '../bits.ts';
import type { Closure } from '../closure.ts';
import { endlessTalk } from '../component-space.ts';
import type { Engine } from '../engine.ts';
import type { JudgedEffect } from '../judge.ts';
import { restless, running } from '../offers.ts';
import { unknownStep } from '../steps.ts';
import { type Image, InnerTables } from './inner-tables.ts';
import type { DensePlan } from './plan.ts';
import { Usage } from './usage.ts';

/** Some of the states of a row. */
export interface Mask {
  /** A bit for each local state of the innermost component. */
  readonly bits: Int32Array;
  /** The words in which any are set, */
  readonly words: Int32Array;
  /** of which so many count. */
  count: number;
}

/** Hears where states go. */
export interface RowSink {
  /** These states go to the same places in another row. */
  move(mask: Mask, row: number): void;
  /** These states go to where their images are, in this row or another; a negative image is to be passed over. */
  map(mask: Mask, row: number, image: Int32Array): void;
  /** One state goes to one place. */
  one(from: number, row: number, to: number): void;
  /** A step of a state has an effect that is judged; its local states are in the expander's `locals`. */
  effect(effect: JudgedEffect, pick: number): void;
}

function newMask(words: number): Mask {
  return { bits: new Int32Array(words), words: new Int32Array(words), count: 0 };
}

/** Expands rows. */
export class RowExpander {
  /** The states of the row that are to be expanded: to be filled in before {@link RowExpander.expand}. */
  readonly frontier: Mask;
  /** Of the row that was last expanded: its states from which time may pass. */
  readonly time: Mask;
  /** Its states with any step at all. */
  readonly stepping: Int32Array;
  /** Its states in which a timer runs, or is due in a process that is not paused. */
  readonly timed: Int32Array;
  /** Some timer runs in some state of the row. */
  hasRunning = false;
  /** Every part outside of the innermost component is final or at rest. */
  othersRest = false;
  /** How many steps its states have. */
  steps = 0;
  /** Who hears where states go. */
  sink: RowSink;
  /** The local states of the row's components. */
  readonly locals: Int32Array;
  readonly inner: InnerTables;
  readonly usage: Usage;
  readonly #engine: Engine;
  readonly #closure: Closure;
  readonly #plan: DensePlan;
  readonly #bits: Int32Array;
  readonly #some: Mask;
  readonly #after: Int32Array;
  readonly #queue: number[] = [];
  readonly #sequence: number[] = [];
  /** Effects met on the way of one step. */
  readonly #effects: JudgedEffect[] = [];
  readonly #partComponent: Int32Array;
  #row = 0;

  constructor(engine: Engine, closure: Closure, plan: DensePlan, sink: RowSink) {
    this.#engine = engine;
    this.#closure = closure;
    this.#plan = plan;
    this.sink = sink;
    this.inner = new InnerTables(engine, closure, plan);
    this.usage = new Usage(engine, closure, plan);
    this.frontier = newMask(plan.rowWords);
    this.time = newMask(plan.rowWords);
    this.#some = newMask(plan.rowWords);
    this.stepping = new Int32Array(plan.rowWords);
    this.timed = new Int32Array(plan.rowWords);
    this.#bits = new Int32Array(engine.offers.stride);
    this.locals = new Int32Array(plan.sizes.length);
    this.#after = new Int32Array(plan.sizes.length);
    this.#partComponent = Int32Array.from(engine.world.system.parts, ({ component }) => component);
  }

  /** Takes some of a row's states as those to be expanded. @returns whether there are any */
  load(bitmap: Int32Array, row: number): boolean {
    const { rowWords } = this.#plan;
    const { bits, words } = this.frontier;
    const start = row * rowWords;
    let count = 0;
    for (let word = 0; word < rowWords; word += 1) {
      const each = bitmap[start + word] as number;
      bits[word] = each;
      if (each === 0) continue;
      words[count] = word;
      count += 1;
    }
    this.frontier.count = count;
    return count > 0;
  }

  /** Reads a row's local states into {@link RowExpander.locals}. */
  decode(row: number): void {
    const { strides, sizes, inner } = this.#plan;
    for (let component = 0; component < sizes.length; component += 1) {
      if (component === inner) continue;
      this.locals[component] =
        Math.floor(row / (strides[component] as number)) % (sizes[component] as number);
    }
  }

  /** Makes all steps of the frontier's states, which are in a row. */
  expand(row: number): void {
    this.#row = row;
    this.steps = 0;
    this.decode(row);
    const flags = this.#gather();
    this.othersRest = (flags & restless) === 0;
    this.#begin((flags & running) !== 0);
    this.#expandChoices();
    this.#expandOuterTimers();
    this.#expandInnerTimers();
    this.#expandTime();
  }

  #gather(): number {
    const bits = this.#bits;
    const { rows, stride } = this.#engine.offers;
    const { inner } = this.#plan;
    for (let word = 0; word < stride; word += 1) bits[word] = 0;
    for (let component = 0; component < rows.length; component += 1) {
      if (component === inner) continue;
      const row = rows[component] as Int32Array;
      const start = (this.locals[component] as number) * stride;
      for (let word = 0; word < stride; word += 1) {
        bits[word] = (bits[word] as number) | (row[start + word] as number);
      }
    }
    return bits[0] as number;
  }

  /** Time may pass from states in which a timer runs, until something is found that holds it up. */
  #begin(runs: boolean): void {
    const { frontier, time, stepping, timed } = this;
    this.hasRunning = runs;
    time.count = frontier.count;
    for (let place = 0; place < frontier.count; place += 1) {
      const word = frontier.words[place] as number;
      const bits = frontier.bits[word] as number;
      const runs_ = runs ? bits : bits & (this.inner.running[word] as number);
      if (runs_ !== 0) this.hasRunning = true;
      time.words[place] = word;
      time.bits[word] = runs_;
      timed[word] = runs_;
      stepping[word] = 0;
    }
  }

  #expandChoices(): void {
    const { choiceWords, all, urgent } = this.#engine.offers;
    const { componentOfChoice } = this.#closure.steps;
    const { inner } = this.#plan;
    for (let word = 0; word < choiceWords; word += 1) {
      let offered = (all[word] as number) & ~(this.#bits[1 + word] as number);
      for (; offered !== 0; offered &= offered - 1) {
        const bit = offered & -offered;
        const choice = (word << 5) + 31 - Math.clz32(bit);
        const mask = this.#allowed(this.inner.allows[choice]);
        if (mask.count === 0) continue;
        this.usage.offered[word] = (this.usage.offered[word] as number) | bit;
        const isUrgent = (bit & (urgent[word] as number)) !== 0;
        const component = componentOfChoice[choice] as number;
        if (component === inner) this.#own(mask, this.inner.choice(choice), choice, isUrgent);
        else if (component < 0) this.#together(mask, choice, isUrgent);
        else this.#outer(mask, component, this.#choiceEntry(choice, component), choice, isUrgent);
      }
    }
  }

  #choiceEntry(choice: number, component: number): number {
    const local = this.locals[component] as number;
    this.usage.choice(choice, local);
    return (this.#closure.steps.choices[choice] as Int32Array)[local] as number;
  }

  /** The states of the frontier that are in a set; the frontier itself if there is no set. */
  #allowed(set: Int32Array | undefined): Mask {
    if (set === undefined) return this.frontier;
    const { frontier } = this;
    const some = this.#some;
    let count = 0;
    for (let place = 0; place < frontier.count; place += 1) {
      const word = frontier.words[place] as number;
      const bits = (frontier.bits[word] as number) & (set[word] as number);
      if (bits === 0) continue;
      some.bits[word] = bits;
      some.words[count] = word;
      count += 1;
    }
    some.count = count;
    return some;
  }

  #expandOuterTimers(): void {
    const { choiceWords, partWords } = this.#engine.offers;
    for (let word = 0; word < partWords; word += 1) {
      const paused = this.#bits[1 + choiceWords + partWords + word] as number;
      let due = (this.#bits[1 + choiceWords + word] as number) & ~paused;
      for (; due !== 0; due &= due - 1) {
        const part = (word << 5) + lowest(due);
        const component = this.#partComponent[part] as number;
        const local = this.locals[component] as number;
        const mask = this.#unpaused(part);
        if (mask.count === 0) continue;
        this.#holdTime(mask);
        for (const timer of this.#closure.steps.dueTimers(component, local)) {
          if (timer.part !== part) continue;
          this.usage.timer(component, local, timer);
          this.#outer(mask, component, timer.entry, timer.pick, false);
        }
      }
    }
  }

  #expandInnerTimers(): void {
    const { choiceWords, partWords } = this.#engine.offers;
    for (const { part, pick, due, image } of this.inner.timers) {
      const paused = this.#bits[1 + choiceWords + partWords + (part >> 5)] as number;
      if (((paused >>> (part & 31)) & 1) === 1) continue;
      const mask = this.#allowed(due);
      const pauses = this.inner.pauses[part];
      if (pauses !== undefined) this.#remove(mask, pauses);
      if (mask.count === 0) continue;
      this.#holdTime(mask);
      this.#own(mask, image, pick, false);
    }
  }

  /** The states of the frontier whose innermost component does not pause a part. */
  #unpaused(part: number): Mask {
    const pauses = this.inner.pauses[part];
    if (pauses === undefined) return this.frontier;
    const mask = this.#allowed(this.frontier.bits);
    this.#remove(mask, pauses);
    return mask;
  }

  #remove(mask: Mask, set: Int32Array): void {
    let count = 0;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      const bits = (mask.bits[word] as number) & ~(set[word] as number);
      mask.bits[word] = bits;
      if (bits === 0) continue;
      mask.words[count] = word;
      count += 1;
    }
    mask.count = count;
  }

  /** A timer is due in these states: time does not pass, and they are timed whether or not another one runs. */
  #holdTime(mask: Mask): void {
    const { time, timed } = this;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      const bits = mask.bits[word] as number;
      time.bits[word] = (time.bits[word] as number) & ~bits;
      timed[word] = (timed[word] as number) | bits;
    }
  }

  #expandTime(): void {
    const mask = this.#allowed(this.time.bits);
    if (mask.count === 0) return;
    const { ticks } = this.#closure.steps;
    const { strides, inner } = this.#plan;
    let row = this.#row;
    for (let component = 0; component < strides.length; component += 1) {
      if (component === inner) continue;
      const local = this.locals[component] as number;
      row += (((ticks[component] as Int32Array)[local] as number) - local) * (strides[component] as number);
    }
    this.#count(mask);
    this.sink.map(mask, row, this.inner.tick.next);
  }

  /** Counts a step of each of these states. */
  #count(mask: Mask): void {
    const { stepping } = this;
    let steps = 0;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      const bits = mask.bits[word] as number;
      stepping[word] = (stepping[word] as number) | bits;
      steps += ones(bits);
    }
    this.steps += steps;
  }

  /** A step that only the innermost component makes. */
  #own(mask: Mask, image: Image, pick: number, urgent: boolean): void {
    this.#count(mask);
    this.#judgeImage(mask, image, pick);
    this.#through(mask, this.#row, image, urgent);
    if (image.alone === undefined) return;
    this.#alone(mask, image.alone, pick, urgent, (inner) => {
      const entry = this.#innerEntry(image, inner);
      const far = this.#closure.steps.far(entry);
      this.#after[this.#plan.inner] = far.next;
      this.#note(far.effects);
      this.#deliver(far.outgoing, far.received, undefined);
    });
  }

  #innerEntry({ cause }: Image, inner: number): number {
    const { steps } = this.#closure;
    if (cause.kind === 'choice') return (steps.choices[cause.choice] as Int32Array)[inner] as number;
    if (cause.kind === 'timer') {
      for (const { part, timer, entry } of steps.dueTimers(this.#plan.inner, inner)) {
        if (part === cause.part && timer === cause.timer) return entry;
      }
    }
    throw new Error('internal error: an image without an entry');
  }

  /** A step that begins in another component, which may tell the innermost one something. */
  #outer(mask: Mask, component: number, entry: number, pick: number, urgent: boolean): void {
    const local = this.locals[component] as number;
    if (entry >= 0) {
      this.#count(mask);
      if (entry === local) return;
      this.#shift(mask, this.#row + (entry - local) * (this.#plan.strides[component] as number), urgent);
      return;
    }
    if (entry === unknownStep) throw new Error('internal error: a step of the closure is not known');
    const far = this.#closure.steps.far(entry);
    this.#resetAfter();
    this.#after[component] = far.next;
    this.#note(far.effects);
    this.#deliver(far.outgoing, far.received, this.#sequence);
    this.#arrive(mask, pick, urgent, () => {
      this.#after[component] = far.next;
      this.#note(far.effects);
      this.#deliver(far.outgoing, far.received, undefined);
    });
  }

  /** A choice that several components take. */
  #together(mask: Mask, choice: number, urgent: boolean): void {
    const joint = this.#closure.steps.joint[choice] as readonly number[];
    this.#resetAfter();
    this.#deliver(joint, 0, this.#sequence);
    this.#arrive(mask, choice, urgent, () => this.#deliver(joint, 0, undefined));
  }

  /**
   * The others have arrived, as `#after` says, and `#sequence` holds what they have told the innermost component. Where
   * that makes it speak, the step is made again for each state on its own.
   */
  #arrive(mask: Mask, pick: number, urgent: boolean, again: () => void): void {
    this.#count(mask);
    const row = this.#rowOf();
    if (this.#effects.length > 0) this.#judgeAll(mask, pick);
    if (this.#sequence.length === 0) {
      if (row !== this.#row) this.#shift(mask, row, urgent);
      return;
    }
    const image = this.inner.sequence(this.#sequence);
    this.#judgeImage(mask, image, pick);
    this.#through(mask, row, image, urgent);
    if (image.alone !== undefined) this.#alone(mask, image.alone, pick, urgent, again);
  }

  #rowOf(): number {
    const { strides, inner } = this.#plan;
    let row = 0;
    for (let component = 0; component < strides.length; component += 1) {
      if (component !== inner) row += (this.#after[component] as number) * (strides[component] as number);
    }
    return row;
  }

  /** The states go to the same places in another row. */
  #shift(mask: Mask, row: number, urgent: boolean): void {
    if (urgent) this.#stopTime(mask);
    this.sink.move(mask, row);
  }

  #stopTime(mask: Mask): void {
    const { time } = this;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      time.bits[word] = (time.bits[word] as number) & ~(mask.bits[word] as number);
    }
  }

  /** The states go to where their images are. */
  #through(mask: Mask, row: number, image: Image, urgent: boolean): void {
    const { used, alone, cause } = image;
    // What happens further to a state on its own is noted delivery by delivery.
    const left = cause.kind === 'deliveries' ? alone : undefined;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      const bits = mask.bits[word] as number;
      used[word] = (used[word] as number) | (left === undefined ? bits : bits & ~(left[word] as number));
    }
    if (urgent) {
      if (row !== this.#row) this.#stopTime(mask);
      else this.#stopTimeOfMoved(mask, image.next);
    }
    this.sink.map(mask, row, image.next);
  }

  #stopTimeOfMoved(mask: Mask, next: Int32Array): void {
    const { time } = this;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = mask.bits[word] as number; bits !== 0; bits &= bits - 1) {
        const bit = bits & -bits;
        const local = (word << 5) + 31 - Math.clz32(bit);
        const to = next[local] as number;
        if (to >= 0 && to !== local) time.bits[word] = (time.bits[word] as number) & ~bit;
      }
    }
  }

  /** Makes a step for each of some states on its own. */
  #alone(mask: Mask, which: Int32Array, pick: number, urgent: boolean, make: (inner: number) => void): void {
    const { inner } = this.#plan;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = (mask.bits[word] as number) & (which[word] as number); bits !== 0; bits &= bits - 1) {
        const local = (word << 5) + lowest(bits);
        this.#resetAfter();
        this.#after[inner] = local;
        make(local);
        this.locals[inner] = local;
        for (const effect of this.#effects) this.sink.effect(effect, pick);
        const row = this.#rowOf();
        const to = this.#after[inner] as number;
        if (row === this.#row && to === local) continue;
        if (urgent) this.time.bits[word] = (this.time.bits[word] as number) & ~(1 << (local & 31));
        this.sink.one(local, row, to);
      }
    }
  }

  #judgeAll(mask: Mask, pick: number): void {
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = mask.bits[word] as number; bits !== 0; bits &= bits - 1) {
        this.locals[this.#plan.inner] = (word << 5) + lowest(bits);
        for (const effect of this.#effects) this.sink.effect(effect, pick);
      }
    }
  }

  #judgeImage(mask: Mask, { effects, judged }: Image, pick: number): void {
    if (judged === undefined) return;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = (mask.bits[word] as number) & (judged[word] as number); bits !== 0; bits &= bits - 1) {
        const local = (word << 5) + lowest(bits);
        this.locals[this.#plan.inner] = local;
        for (const effect of effects.get(local) ?? []) this.sink.effect(effect, pick);
      }
    }
  }

  /** Effects of which nothing is asked any more are passed over. */
  #note(effects: readonly JudgedEffect[]): void {
    for (const effect of effects) if (effect.quest.found === undefined) this.#effects.push(effect);
  }

  #resetAfter(): void {
    const { locals } = this;
    for (let each = 0; each < locals.length; each += 1) this.#after[each] = locals[each] as number;
    this.#effects.length = 0;
    this.#sequence.length = 0;
  }

  /**
   * Delivers first in, first out. With a sequence, what goes to the innermost component is only noted there; without,
   * it is delivered as well.
   */
  #deliver(first: readonly number[], receivedBefore: number, sequence: number[] | undefined): void {
    const queue = this.#queue;
    const after = this.#after;
    const { steps } = this.#closure;
    const { deliveries } = this.#engine;
    let received = receivedBefore;
    let waiting = first.length;
    for (let place = 0; place < waiting; place += 1) queue[place] = first[place] as number;
    for (let read = 0; read < waiting; read += 1) {
      const delivery = queue[read] as number;
      const component = deliveries.component(delivery);
      if (sequence !== undefined && component === this.#plan.inner) {
        sequence.push(delivery);
        continue;
      }
      const local = after[component] as number;
      const entry = steps.known(delivery, local);
      this.usage.delivery(delivery, local);
      if (entry >= 0) {
        after[component] = entry;
        received += 1;
      } else {
        if (entry === unknownStep) throw new Error('internal error: a delivery of the closure is not known');
        const step = steps.far(entry);
        after[component] = step.next;
        received += step.received;
        for (const each of step.outgoing) {
          queue[waiting] = each;
          waiting += 1;
        }
        this.#note(step.effects);
      }
      if (received > deliveriesMax) {
        const { to, event } = deliveries.delivery(delivery);
        throw endlessTalk(this.#engine.world.system.id, to, event);
      }
    }
  }
}
