/**
 * All steps from the states of one row at once.
 *
 * A row holds the states that differ in the innermost component only. A step of the others moves the row's bits to
 * another row as they are; a step of the innermost component, or one that tells it something, moves each bit to where
 * its image is. Only where several components speak is a state looked at on its own.
 *
 * What happens to the bits is the sink's business: a search adds them to what is known, and the look for time-locks asks
 * where they came from.
 */
import { deliveriesMax } from '../../semantics/world.ts';
import { lowest, ones } from '../bits.ts';
import { restless, running } from '../offers.ts';
import { EventByEvent } from './event-by-event.ts';
import { type Image, Images, onItsOwn } from './images.ts';
import { InnerTables } from './inner-tables.ts';
import type { DensePlan } from './plan.ts';
import type { Program } from './program.ts';
import { type Script, Scripts } from './scripts.ts';
import { type StepUses, Usage } from './usage.ts';

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
  effect(effect: number, pick: number): void;
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
  readonly #program: Program;
  readonly #plan: DensePlan;
  readonly #images: Images;
  readonly #scripts: Scripts;
  readonly #single: EventByEvent;
  readonly #usage: Usage;
  readonly #bits: Int32Array;
  readonly #some: Mask;
  readonly #tick: Int32Array;
  #row = 0;
  /** How many states the frontier has. */
  #frontierOnes = 0;
  /** Some step is one of all its states. */
  #allStep = false;
  /** A choice or timer at hand is urgent. */
  #urgent = false;

  constructor(program: Program, plan: DensePlan, sink: RowSink) {
    this.#program = program;
    this.#plan = plan;
    this.sink = sink;
    this.#images = new Images(program);
    this.#scripts = new Scripts(program, this.#images);
    this.#single = new EventByEvent(program, deliveriesMax);
    this.#usage = new Usage(program);
    this.inner = new InnerTables(program, plan, this.#images);
    this.frontier = newMask(plan.rowWords);
    this.time = newMask(plan.rowWords);
    this.#some = newMask(plan.rowWords);
    this.stepping = new Int32Array(plan.rowWords);
    this.timed = new Int32Array(plan.rowWords);
    this.#bits = new Int32Array(program.stride);
    this.locals = new Int32Array(plan.sizes.length);
    this.#tick = program.ticks[plan.inner] as Int32Array;
  }

  /** Which steps have been made so far, as plain data. */
  uses(): StepUses {
    return this.#usage.collect(this.#images.uses(), this.#single.used);
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
    this.#urgent = false;
    this.#expandOuterTimers();
    this.#expandInnerTimers();
    this.#expandTime();
    if (this.#allStep) this.#noteAllStep();
  }

  #gather(): number {
    const bits = this.#bits;
    const { rows, stride } = this.#program;
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
    this.#allStep = false;
    let all = 0;
    time.count = frontier.count;
    for (let place = 0; place < frontier.count; place += 1) {
      const word = frontier.words[place] as number;
      const bits = frontier.bits[word] as number;
      all += ones(bits);
      const runningHere = runs ? bits : bits & (this.inner.running[word] as number);
      if (runningHere !== 0) this.hasRunning = true;
      time.words[place] = word;
      time.bits[word] = runningHere;
      timed[word] = runningHere;
      stepping[word] = 0;
    }
    this.#frontierOnes = all;
  }

  #expandChoices(): void {
    const { choiceWords, all, urgent, componentOfChoice, choices } = this.#program;
    const { inner } = this.#plan;
    for (let word = 0; word < choiceWords; word += 1) {
      let offered = (all[word] as number) & ~(this.#bits[1 + word] as number);
      for (; offered !== 0; offered &= offered - 1) {
        const bit = offered & -offered;
        const choice = (word << 5) + 31 - Math.clz32(bit);
        const mask = this.#allowed(this.inner.allows[choice]);
        if (mask.count === 0) continue;
        this.#usage.offer(word, bit);
        this.#urgent = (bit & (urgent[word] as number)) !== 0;
        this.#count(mask);
        const component = componentOfChoice[choice] as number;
        if (component < 0) this.#together(mask, choice);
        else if (component === inner)
          this.#own(mask, this.#images.choice(choice), choice, choices[choice] as Int32Array);
        else {
          const local = this.locals[component] as number;
          this.#usage.choice(choice, local);
          this.#outer(mask, component, (choices[choice] as Int32Array)[local] as number, choice);
        }
      }
    }
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
    const { choiceWords, partWords, componentOfPart, due: dueOf } = this.#program;
    for (let word = 0; word < partWords; word += 1) {
      const paused = this.#bits[1 + choiceWords + partWords + word] as number;
      let due = (this.#bits[1 + choiceWords + word] as number) & ~paused;
      for (; due !== 0; due &= due - 1) {
        const part = (word << 5) + lowest(due);
        const component = componentOfPart[part] as number;
        const local = this.locals[component] as number;
        const mask = this.#unpaused(part);
        if (mask.count === 0) continue;
        this.#holdTime(mask);
        for (const timer of dueOf[component]?.[local] ?? []) {
          if (timer.part !== part) continue;
          this.#usage.timer(component, timer.pick, local);
          this.#count(mask);
          this.#outer(mask, component, timer.entry, timer.pick);
        }
      }
    }
  }

  #expandInnerTimers(): void {
    const { choiceWords, partWords } = this.#program;
    for (const { part, pick, due, image, entries } of this.inner.timers) {
      const paused = this.#bits[1 + choiceWords + partWords + (part >> 5)] as number;
      if (((paused >>> (part & 31)) & 1) === 1) continue;
      const mask = this.#allowed(due);
      const pauses = this.inner.pauses[part];
      if (pauses !== undefined) this.#remove(mask, pauses);
      if (mask.count === 0) continue;
      this.#holdTime(mask);
      this.#count(mask);
      this.#own(mask, image, pick, entries);
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
    const { ticks } = this.#program;
    const { strides, inner } = this.#plan;
    let row = this.#row;
    for (let component = 0; component < strides.length; component += 1) {
      if (component === inner) continue;
      const local = this.locals[component] as number;
      row += (((ticks[component] as Int32Array)[local] as number) - local) * (strides[component] as number);
    }
    this.#count(mask);
    this.sink.map(mask, row, this.#tick);
  }

  /** Counts a step of each of these states. */
  #count(mask: Mask): void {
    if (mask === this.frontier) {
      this.#allStep = true;
      this.steps += this.#frontierOnes;
      return;
    }
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

  #noteAllStep(): void {
    const { frontier, stepping } = this;
    for (let place = 0; place < frontier.count; place += 1) {
      const word = frontier.words[place] as number;
      stepping[word] = frontier.bits[word] as number;
    }
  }

  /** A step that only the innermost component begins. */
  #own(mask: Mask, image: Image, pick: number, entries: Int32Array): void {
    this.#through(mask, this.#row, image, pick);
    const { alone } = image;
    if (alone === undefined) return;
    const { inner } = this.#plan;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = (mask.bits[word] as number) & (alone[word] as number); bits !== 0; bits &= bits - 1) {
        const local = (word << 5) + lowest(bits);
        this.locals[inner] = local;
        this.#single.from(this.locals, inner, entries[local] as number);
        this.#arrive(pick);
      }
    }
  }

  /** A step that begins in another component, which may tell the others something. */
  #outer(mask: Mask, component: number, entry: number, pick: number): void {
    if (entry >= 0) {
      const steps = entry - (this.locals[component] as number);
      if (steps !== 0) this.#shift(mask, this.#row + steps * (this.#plan.strides[component] as number));
      return;
    }
    if (this.#follow(mask, this.#scripts.far(component, entry), undefined, pick)) return;
    this.#eachAlone(mask, undefined, pick, () => this.#single.from(this.locals, component, entry));
  }

  /** A choice that several components take. */
  #together(mask: Mask, choice: number): void {
    const script = this.#scripts.joint(choice, this.locals, this.#plan.inner);
    if (script !== undefined && this.#follow(mask, script, choice, choice)) return;
    this.#eachAlone(mask, undefined, choice, () => this.#single.together(this.locals, choice));
  }

  /**
   * Does what a script says, and makes the step anew for each state whose innermost component speaks.
   *
   * @param choice - the choice that it is the script of, if it is one that several components take
   * @returns false, and has done nothing, if another component speaks too
   */
  #follow(mask: Mask, script: Script, choice: number | undefined, pick: number): boolean {
    const { strides, inner } = this.#plan;
    const { moves, speaker } = script;
    let row = this.#row;
    if (speaker >= 0) row += (script.next - (this.locals[speaker] as number)) * (strides[speaker] as number);
    let heard: Image | undefined;
    for (let each = 0; each < moves.length; each += 1) {
      const image = moves[each] as Image;
      const { component, next } = image;
      if (component === inner) {
        heard = image;
        continue;
      }
      const local = this.locals[component] as number;
      const to = next[local] as number;
      if (to === onItsOwn) return false;
      row += (to - local) * (strides[component] as number);
    }
    if (choice !== undefined && speaker >= 0)
      this.#usage.joint(choice, speaker, this.locals[speaker] as number);
    for (let each = 0; each < moves.length; each += 1) this.#useOuter(mask, moves[each] as Image, pick);
    if (script.effects.length > 0) this.#judgeAll(mask, script.effects, pick);
    if (heard === undefined) {
      if (row !== this.#row) this.#shift(mask, row);
      return true;
    }
    this.#through(mask, row, heard, pick);
    if (heard.alone === undefined) return true;
    this.#eachAlone(mask, heard.alone, pick, () =>
      choice === undefined
        ? this.#single.from(this.locals, speaker, this.#entryOf(pick, speaker))
        : this.#single.together(this.locals, choice),
    );
    return true;
  }

  #entryOf(pick: number, component: number): number {
    const { choices, due } = this.#program;
    const local = this.locals[component] as number;
    if (pick < choices.length) return (choices[pick] as Int32Array)[local] as number;
    for (const timer of due[component]?.[local] ?? []) if (timer.pick === pick) return timer.entry;
    throw new Error('internal error: a step without an entry');
  }

  /** Notes that a component of the row, not the innermost one, has gone the way of its image. */
  #useOuter(mask: Mask, { component, used, judged, effects }: Image, pick: number): void {
    if (component === this.#plan.inner) return;
    const local = this.locals[component] as number;
    const word = local >> 5;
    const bit = 1 << (local & 31);
    used[word] = (used[word] as number) | bit;
    if (judged !== undefined && ((judged[word] as number) & bit) !== 0) {
      this.#judgeAll(mask, effects.get(local) ?? [], pick);
    }
  }

  /** The states go to the same places in another row. */
  #shift(mask: Mask, row: number): void {
    if (this.#urgent) this.#stopTime(mask);
    this.sink.move(mask, row);
  }

  #stopTime(mask: Mask): void {
    const { time } = this;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      time.bits[word] = (time.bits[word] as number) & ~(mask.bits[word] as number);
    }
  }

  /** The states go to where their images are, but for those that go on their own. */
  #through(mask: Mask, row: number, image: Image, pick: number): void {
    const { used, alone, cause, judged } = image;
    // What a state receives on its own is noted event by event.
    const left = cause.kind === 'deliveries' ? alone : undefined;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      const bits = mask.bits[word] as number;
      used[word] = (used[word] as number) | (left === undefined ? bits : bits & ~(left[word] as number));
    }
    if (judged !== undefined) this.#judgeImage(mask, image.effects, judged, pick);
    if (this.#urgent) this.#stopTimeOfMoved(mask, row, image.next);
    this.sink.map(mask, row, image.next);
  }

  #stopTimeOfMoved(mask: Mask, row: number, next: Int32Array): void {
    const { time } = this;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = mask.bits[word] as number; bits !== 0; bits &= bits - 1) {
        const bit = bits & -bits;
        const local = (word << 5) + 31 - Math.clz32(bit);
        const to = next[local] as number;
        if (to >= 0 && (to !== local || row !== this.#row))
          time.bits[word] = (time.bits[word] as number) & ~bit;
      }
    }
  }

  /** Makes a step for each of some states on its own. */
  #eachAlone(mask: Mask, which: Int32Array | undefined, pick: number, make: () => void): void {
    const { inner } = this.#plan;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      const all = mask.bits[word] as number;
      for (
        let bits = which === undefined ? all : all & (which[word] as number);
        bits !== 0;
        bits &= bits - 1
      ) {
        this.locals[inner] = (word << 5) + lowest(bits);
        make();
        this.#arrive(pick);
      }
    }
  }

  /** A state has made a step on its own. */
  #arrive(pick: number): void {
    const { strides, inner } = this.#plan;
    const { after, effects } = this.#single;
    for (const effect of effects) this.sink.effect(effect, pick);
    let row = 0;
    for (let component = 0; component < strides.length; component += 1) {
      row += (after[component] as number) * (strides[component] as number);
    }
    const local = this.locals[inner] as number;
    const to = after[inner] as number;
    if (row === this.#row && to === local) return;
    const { time } = this;
    const word = local >> 5;
    if (this.#urgent) time.bits[word] = (time.bits[word] as number) & ~(1 << (local & 31));
    this.sink.one(local, row, to);
  }

  #judgeAll(mask: Mask, effects: readonly number[], pick: number): void {
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = mask.bits[word] as number; bits !== 0; bits &= bits - 1) {
        this.locals[this.#plan.inner] = (word << 5) + lowest(bits);
        for (const effect of effects) this.sink.effect(effect, pick);
      }
    }
  }

  #judgeImage(
    mask: Mask,
    effects: ReadonlyMap<number, readonly number[]>,
    judged: Int32Array,
    pick: number,
  ): void {
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = (mask.bits[word] as number) & (judged[word] as number); bits !== 0; bits &= bits - 1) {
        const local = (word << 5) + lowest(bits);
        this.locals[this.#plan.inner] = local;
        for (const effect of effects.get(local) ?? []) this.sink.effect(effect, pick);
      }
    }
  }
}
