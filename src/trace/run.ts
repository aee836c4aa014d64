/**
 * A run as a reader wants it: each state in full, what led to it, what was said and which transitions were taken on the
 * way. States and emissions come from plain XState (see {@link Player}); which transitions were taken is asked of the
 * {@link World}, since `transition()` does not tell.
 */
import { describePick, type Emission, type Pick, World } from '../semantics/world.ts';
import { type System, SystemError } from '../system.ts';
import { Player, type ReplayedState, samePick } from './replay.ts';

/** A state of a run, and the step that led to it. */
export interface Moment {
  /** 0 for the first state. */
  readonly index: number;
  /** What was picked; nothing led to the first state. */
  readonly pick?: Pick;
  /** Ticks since the first state. */
  readonly ticks: number;
  /** The state that the step led to. */
  readonly state: ReplayedState;
  /** What the parts emitted during the step, in order. */
  readonly emissions: readonly Emission[];
  /** The transitions that were taken, as `<part>:<transition id>`. */
  readonly transitions: readonly string[];
}

/**
 * Plays a run, moment by moment.
 *
 * @throws SystemError at a pick that is not offered
 */
export function* moments(system: System, picks: readonly Pick[]): Generator<Moment, void, undefined> {
  const player = new Player(system);
  const world = new World(system);
  let moment: Moment = { index: 0, ticks: 0, state: player.initial, emissions: [], transitions: [] };
  let shadow = world.initial;
  yield moment;
  for (const [place, pick] of picks.entries()) {
    const offered = player.picks(moment.state);
    if (!offered.some((each) => samePick(each, pick))) {
      throw new SystemError(
        `'${describePick(pick)}' is not offered in this state. Offered are: ${offered.map(describePick).join(', ') || 'nothing'}.`,
      );
    }
    const { after: state, emissions } = player.step(moment.state, pick);
    const { next, transitions } = world.step(shadow, pick);
    shadow = next;
    moment = {
      index: place + 1,
      pick,
      ticks: moment.ticks + (pick.kind === 'time' ? 1 : 0),
      state,
      emissions,
      transitions,
    };
    yield moment;
  }
}
