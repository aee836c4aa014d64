/** `routeproof replay --on`: a trace on real parts. */
import type { Design } from '../../models/index.ts';
import type { Line } from '../agent/record.ts';
import { scaled } from '../agent/store-options.ts';
import type { TraceFile } from '../agent/trace-file.ts';
import { reasonOf } from '../reason-of.ts';
import { NotForReal } from '../rig/deeds.ts';
import { etcdVersion } from '../rig/etcd-process.ts';
import { faultsForReal, type Suffered, type TooSlow } from '../rig/faults-for-real.ts';
import { type Replayed, replayForReal } from '../rig/replay-for-real.ts';
import { startRig } from '../rig/rig.ts';
import type { System } from '../system.ts';
import type { RecordedRun } from '../trace/read-itf.ts';
import { openTrace } from './agent-trace-output.ts';
import { designOf } from './instance.ts';
import { assertTimes } from './longest-wait.ts';
import { page } from './page.ts';
import { UsageError } from './usage-error.ts';

/** What real parts a trace is played on. */
type Parts = 'etcd' | 'kernel';

/** What is to be played. */
export interface RealReplay {
  readonly file: string;
  readonly on: Parts;
  /** Another design, which runs freely while the trace's faults strike. */
  readonly against?: string;
  readonly timeScale: number;
  /** Where the agent's trace goes; that of an agent that was restarted goes to this name with `.2` at its end, and so on. */
  readonly trace?: string;
  readonly format: 'pretty' | 'json';
}

/** The result as `--format json` prints it. */
type Result = { readonly design: string } & (
  | Replayed
  /** The model does not come to the states of the file, so real parts were not started. */
  | { readonly reproduced: false; readonly inModel: true; readonly step: number; readonly reason: string }
  | ({
      /** Null if no pod had its route at any time: then it is vacuous. */
      readonly kept: boolean | null;
      readonly timeScale: number;
    } & Suffered)
);

/** How many times slower than asked for a run may become. */
const slowestPace = 8;

/**
 * Plays a trace.
 *
 * @param differs - where the model itself does not come to the states of the file; then real parts could show nothing
 * @returns the exit code
 * @throws UsageError if there are no real parts, or if the faults of a trace that differs were to strike another run
 */
export async function runReplayForReal(
  replay: RealReplay,
  recorded: RecordedRun,
  system: System,
  ofTrace: Design,
  differs: { readonly step: number; readonly reason: string } | undefined,
): Promise<number> {
  if (differs !== undefined) {
    const { step, reason } = differs;
    if (replay.against === undefined)
      return tell(replay, {
        design: ofTrace.id,
        reproduced: false,
        inModel: true,
        step,
        reason: `In the model, ${reason}.`,
      });
    throw new UsageError(
      `${replay.file}: it is no run of the model, which differs at step ${step}: ${reason}. Write the trace anew with 'routeproof check --trace-dir'.`,
    );
  }
  assertWaits(replay, ofTrace);
  const missing = (await etcdVersion()) === undefined ? missingEtcd : undefined;
  if (missing !== undefined) throw new UsageError(missing);
  return tell(replay, await playInTime(replay, recorded, system, ofTrace));
}

/** No wait of a run, of which the last is a sum of nine of the design's numbers, may be longer than timers can be. */
function assertWaits({ against, timeScale }: RealReplay, ofTrace: Design): void {
  const pace = against === undefined ? timeScale : timeScale * slowestPace;
  const numbers = [ofTrace, ...(against === undefined ? [] : [designOf(against)])].flatMap(({ parameters }) =>
    Object.values(parameters),
  );
  assertTimes([['the longest wait', 10 * Math.max(...numbers) * pace]], timeScale);
}

/** Prints a result. @returns the exit code */
function tell(replay: RealReplay, result: Result): number {
  process.stdout.write(
    replay.format === 'json'
      ? `${JSON.stringify({ file: replay.file, on: replay.on, ...result }, null, 2)}\n`
      : print(replay, result),
  );
  if ('reproduced' in result) return result.reproduced ? 0 : 1;
  return result.kept === null ? 4 : result.kept ? 0 : 1;
}

const missingEtcd =
  "there is no etcd. Install Debian's package etcd-server, put 'etcd' on the path, or name it with ETCD_BIN.";

/**
 * Plays a trace, and again with slower timers of the agent as long as the faults take so much time that the timers come first:
 * in the trace they take none.
 */
async function playInTime(
  replay: RealReplay,
  recorded: RecordedRun,
  system: System,
  ofTrace: Design,
): Promise<Result> {
  // The trace rounds to its ticks, so what takes less than one is as good as none.
  const allowed = (timeScale: number): number => ofTrace.parameters.tick * timeScale;
  const slowest = replay.timeScale * slowestPace;
  const tell = (took: number, timeScale: number, then: string): boolean =>
    process.stderr.write(
      `The faults took ${took.toFixed(2)} s where the trace has no time: too long at ${timeScale} s for each second. ${then}\n`,
    );
  let { timeScale } = replay;
  for (;;) {
    const limit = timeScale < slowest ? allowed(timeScale) : Number.POSITIVE_INFINITY;
    const result = await play({ ...replay, timeScale }, recorded, system, ofTrace, limit);
    if (!('tooSlow' in result)) {
      if ('faultsTook' in result && result.faultsTook > allowed(timeScale))
        tell(
          result.faultsTook,
          timeScale,
          "The agent's timers may have come first. Give a larger --time-scale.",
        );
      return result;
    }
    let slower = timeScale * 2;
    while (allowed(slower) < result.tooSlow && slower < slowest) slower *= 2;
    tell(result.tooSlow, timeScale, `It is played again at ${slower} s.`);
    timeScale = slower;
  }
}

async function play(
  replay: RealReplay,
  recorded: RecordedRun,
  system: System,
  ofTrace: Design,
  limit: number,
): Promise<Result | TooSlow> {
  const { timeScale } = replay;
  const runsFreely = replay.against !== undefined;
  // The trace's own design has the trace's numbers when it runs freely as well.
  const chosen =
    replay.against === undefined || replay.against === ofTrace.id ? ofTrace : designOf(replay.against);
  const design = scaled(chosen, timeScale);
  const needsPeers = recorded.picks.some(
    (pick) => pick.kind === 'choice' && ['member.isolated', 'leader.lost'].includes(pick.id),
  );
  const traces: TraceFile[] = [];
  let cutOff: unknown;
  const newTrace = (): ((line: Line) => void) => {
    const number = traces.length + 1;
    const file = openTrace(`${replay.trace}${number === 1 ? '' : `.${number}`}`, design, 'node-1');
    traces.push(file);
    return (line) => {
      try {
        file.write(line);
      } catch (error) {
        cutOff ??= error;
        throw error;
      }
    };
  };
  const told = replay.trace === undefined ? undefined : newTrace;
  const rig = await startRig(replay.on === 'kernel' ? 'kernel' : 'memory', needsPeers ? 3 : 1);
  try {
    if (!runsFreely)
      return {
        design: design.id,
        ...(await replayForReal(rig, system, design, recorded.picks, 10 * timeScale, told)),
      };
    const tick = ofTrace.parameters.tick * timeScale;
    // In the model an apply may run at any time, so here it is not to be what the rest waits for.
    rig.startAgent(design, tick / 4, false, told);
    const suffered = await faultsForReal(rig, design, recorded.picks, tick, limit);
    if ('tooSlow' in suffered) return suffered;
    return {
      design: design.id,
      timeScale,
      kept: keptAll(suffered),
      ...suffered,
    };
  } catch (error) {
    if (error instanceof NotForReal) throw new UsageError(`${replay.file}: ${error.message}.`);
    throw error;
  } finally {
    await rig.close();
    for (const trace of traces) trace.close();
    if (cutOff !== undefined)
      process.stderr.write(
        `--trace ${replay.trace}: it is cut off, for it cannot be written (${reasonOf(cutOff)}).\n`,
      );
  }
}

function keptAll({ served, cutOff, withoutRoute }: Suffered): boolean | null {
  if (cutOff.length + withoutRoute.length > 0) return false;
  return served.length > 0 ? true : null;
}

function print({ file, on, ...asked }: RealReplay, result: Result): string {
  const { green, red, yellow, bold } = page().colors;
  const timeScale = 'timeScale' in result ? result.timeScale : asked.timeScale;
  const parts = on === 'kernel' ? 'a real etcd and real kernel routes' : 'a real etcd, with routes in memory';
  const where =
    'inModel' in result
      ? 'in the model; real parts were not started'
      : `on ${parts}, ${timeScale} s for each second`;
  const head = `${bold(file)}\n  ${result.design} ${where}\n\n`;
  if ('reproduced' in result) {
    return result.reproduced
      ? `${head}${green('✓')} ${bold('reproduced')}: after each of ${result.steps} steps agent, store and kernel were as in the model\n`
      : `${head}${red('✗')} ${bold(`not reproduced at step ${result.step}`)}\n  ${result.reason}\n`;
  }
  if (result.kept) return `${head}${green('✓')} ${bold('every live route stayed in place')}\n`;
  if (result.kept === null)
    return `${head}${yellow('?')} ${bold('vacuous')}: no pod had its route at any time, so none could be lost\n`;
  const { cutOff, withoutRoute } = result;
  return `${head}${red('✗')} ${bold('live routes were lost')}: of pods ${cutOff.join(', ') || '–'} for a time, of pods ${withoutRoute.join(', ') || '–'} at the end\n`;
}
