/** Walks as fast-check's users know arbitraries: drawn from a seed, shrunk when they fail, replayed by seed and path. */
import { Arbitrary, type Random, Stream, Value } from 'fast-check';
import { Closer } from './closer.ts';
import { type Drawing, drawWalk } from './draw-walk.ts';
import { WalkPlayer } from './play-walk.ts';
import { smallerWalks } from './shrink-walk.ts';
import type { Walk } from './walk.ts';
import type { Walker } from './walker.ts';

/**
 * Walks through a system.
 *
 * ```ts
 * const walker = new Walker(system);
 * const player = new WalkPlayer(system);
 * fc.assert(
 *   fc.property(walks(walker, { steps: 200, properties }), (walk) => player.play(walk, properties) === undefined),
 * );
 * ```
 *
 * Each step is drawn from what the system offers there, so none is thrown away. A walk shrinks while it violates the same
 * property; the shrunk walk is a run of the system.
 */
export function walks(walker: Walker, drawing: Drawing): Arbitrary<Walk> {
  return new Walks(walker, drawing);
}

class Walks extends Arbitrary<Walk> {
  readonly #walker: Walker;
  readonly #drawing: Drawing;
  readonly #player: WalkPlayer;
  readonly #closer: Closer;

  constructor(walker: Walker, drawing: Drawing) {
    super();
    this.#walker = walker;
    this.#drawing = drawing;
    this.#player = new WalkPlayer(walker.system);
    this.#closer = new Closer(walker, drawing.properties);
  }

  override generate(random: Random): Value<Walk> {
    const walk = drawWalk(random, this.#walker, this.#closer, this.#drawing);
    return new Value(walk, random.clone());
  }

  override canShrinkWithoutContext(_value: unknown): _value is Walk {
    return false;
  }

  override shrink(walk: Walk, random: Random | undefined): Stream<Value<Walk>> {
    const { properties } = this.#drawing;
    const shown = this.#player.play(walk, properties);
    const property = properties.find(({ id }) => id === shown?.property);
    if (shown === undefined || property === undefined || random === undefined) return Stream.nil();
    return new Stream(smallerWalks(random.clone(), this.#walker, property, shown.walk)).map(
      (each) => new Value(each, random),
    );
  }
}
