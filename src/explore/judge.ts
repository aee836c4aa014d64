/**
 * Watches a search for the first state or step that violates each property, and the first that each witness asks for.
 *
 * States and steps are shown in the order of the search, so the first one found is the end of a shortest run. What has
 * been found is not looked for again.
 */
import type { EventObject } from 'xstate';
import type { EffectCondition, Property, Reader, Witness } from '../property.ts';
import type { Emission, World } from '../semantics/world.ts';
import { SystemError } from '../system.ts';
import { RememberedCondition } from './clauses.ts';
import type { ComponentSpace } from './component-space.ts';
import type { Symmetry } from './symmetry.ts';

/** Where something was found: in a state, or in a step from it. */
export interface Finding {
  readonly state: number;
  /** The number of the step's pick; left out if the state itself is meant. */
  readonly pick?: number;
}

/** Something that is looked for: a violation, whose condition fails, or a witness, whose condition holds. */
export interface Quest {
  readonly kind: 'violation' | 'witness';
  readonly property: string;
  readonly wanted: boolean;
  found: Finding | undefined;
}

interface StateWatch {
  readonly quest: Quest;
  readonly condition: RememberedCondition;
  /** With symmetry: the ways to see a state of an orbit. */
  readonly views: readonly Int32Array[] | undefined;
}

interface EffectWatch {
  readonly quest: Quest;
  readonly clause: EffectCondition;
  readonly where: string;
  /** With symmetry: the ways to see a state of an orbit. */
  readonly views: readonly Int32Array[] | undefined;
  /** By event. */
  readonly judged: Map<string, JudgedEffect>;
}

/** An effect that some clause judges: the clause, with the event filled in. */
export interface JudgedEffect {
  readonly quest: Quest;
  readonly condition: RememberedCondition;
  /** With symmetry: the ways to see a state of an orbit. */
  readonly views: readonly Int32Array[] | undefined;
}

/** The findings of one search. */
export class Judge {
  readonly #world: World;
  readonly #spaces: readonly ComponentSpace[];
  readonly #symmetry: Symmetry | undefined;
  /** A state as it is seen in one of those ways. */
  readonly #seen: Int32Array;
  readonly #violations = new Map<string, Quest>();
  readonly #witnesses = new Map<Witness, Quest>();
  #states: StateWatch[] = [];
  /** By part and type of event. */
  readonly #effects = new Map<string, Map<string, EffectWatch[]>>();

  /** @throws SystemError for two properties of one name and for a clause that names a part that is not there */
  constructor(
    world: World,
    spaces: readonly ComponentSpace[],
    properties: readonly Property[],
    symmetry?: Symmetry,
  ) {
    this.#symmetry = symmetry;
    this.#seen = new Int32Array(spaces.length);
    this.#world = world;
    this.#spaces = spaces;
    for (const property of properties) {
      if (this.#violations.has(property.id)) {
        throw new SystemError(`property '${property.id}': there are two of that name. Rename one of them.`);
      }
      if (property.clauses.length === 0) {
        throw new SystemError(
          `property '${property.id}': it has no clauses, and would hold of anything. Say what must hold.`,
        );
      }
      const quest: Quest = { kind: 'violation', property: property.id, wanted: false, found: undefined };
      this.#violations.set(property.id, quest);
      const where = `property '${property.id}'`;
      if (property.kind === 'invariant') {
        for (const clause of property.clauses) {
          const condition = new RememberedCondition(world, spaces, clause, where);
          this.#states.push({ quest, condition, views: this.#views(clause.reads) });
        }
      } else if (property.kind === 'effect') {
        for (const clause of property.clauses) this.#watchEffect(quest, clause, where);
      }
      for (const witness of property.witnesses) this.#watchWitness(property, witness);
    }
  }

  /** Whether anything is still asked of states. */
  get watchesStates(): boolean {
    return this.#states.length > 0;
  }

  /** Judges a state that is new. */
  state(state: number, locals: Int32Array): void {
    let found = false;
    for (const { quest, condition, views } of this.#states) {
      if (this.#is(quest.wanted, condition, views, locals)) {
        quest.found = { state };
        found = true;
      }
    }
    if (found) this.#states = this.#states.filter(({ quest }) => quest.found === undefined);
  }

  /** The clauses that judge what a part emits. */
  effectsOf({ part, event }: Emission): readonly JudgedEffect[] {
    const watches = this.#effects.get(part)?.get(event.type);
    return watches === undefined ? [] : watches.map((watch) => this.#effectOf(watch, event));
  }

  /** Judges what a step emits, by the local states in which the step begins. */
  effect({ quest, condition, views }: JudgedEffect, locals: Int32Array, state: number, pick: number): void {
    if (quest.found !== undefined) return;
    if (this.#is(quest.wanted, condition, views, locals)) quest.found = { state, pick };
  }

  /** Whether a condition is what is wanted in a state, or with symmetry in some state of its orbit. */
  #is(
    wanted: boolean,
    condition: RememberedCondition,
    views: readonly Int32Array[] | undefined,
    locals: Int32Array,
  ): boolean {
    if (views === undefined) return condition.holds(locals) === wanted;
    const seen = this.#seen;
    return views.some((view) => {
      for (let each = 0; each < seen.length; each += 1) seen[each] = locals[view[each] as number] as number;
      return condition.holds(seen) === wanted;
    });
  }

  #views(reads: readonly string[], fixed?: readonly [number, number]): readonly Int32Array[] | undefined {
    const { system } = this.#world;
    const read = new Set(reads.map((name) => system.parts[system.partIndex(name)]?.component as number));
    return this.#symmetry?.views([...read], fixed);
  }

  /** The first violation of a property, if one was found. */
  violation(property: string): Finding | undefined {
    return this.#violations.get(property)?.found;
  }

  /** Where a witness was first seen, if it was. */
  witness(witness: Witness): Finding | undefined {
    return this.#witnesses.get(witness)?.found;
  }

  #effectOf({ quest, clause, where, judged, views }: EffectWatch, event: EventObject): JudgedEffect {
    const key = JSON.stringify(event);
    const known = judged.get(key);
    if (known !== undefined) return known;
    const condition = { reads: clause.reads, holds: (before: Reader) => clause.holds(before, event) };
    const remembered = new RememberedCondition(this.#world, this.#spaces, condition, where);
    const effect = { quest, condition: remembered, views };
    judged.set(key, effect);
    return effect;
  }

  #watchWitness(property: Property, witness: Witness): void {
    const quest: Quest = { kind: 'witness', property: property.id, wanted: true, found: undefined };
    this.#witnesses.set(witness, quest);
    const where = `property '${property.id}', witness '${witness.id}'`;
    if ('state' in witness) {
      this.#states.push({
        quest,
        condition: new RememberedCondition(this.#world, this.#spaces, witness.state, where),
        views: this.#views(witness.state.reads),
      });
    } else {
      this.#watchEffect(quest, witness.effect, where);
    }
  }

  #watchEffect(quest: Quest, clause: EffectCondition, where: string): void {
    const { system } = this.#world;
    const { part: name, emits } = clause.on;
    const part = system.partIndex(name);
    const component = system.parts[part]?.component as number;
    for (const by of this.#symmetry?.siblings(component) ?? [component]) {
      const counterpart = this.#symmetry?.counterpart(part, by) ?? part;
      const emitter = system.parts[counterpart]?.name as string;
      const byType = this.#effects.get(emitter) ?? new Map<string, EffectWatch[]>();
      this.#effects.set(emitter, byType);
      const watches = byType.get(emits) ?? [];
      byType.set(emits, watches);
      const views = this.#views(clause.reads, [component, by]);
      watches.push({ quest, clause, where, views, judged: new Map() });
    }
  }
}
