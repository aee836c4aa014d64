/** The program of a thread that helps with a dense search; see `crew.ts`. */
import { workerData } from 'node:worker_threads';
import { finished, type HelperMessage, type HelperTask, lastLevel, levelNumber, takeRows } from './crew.ts';
import { EndlessTalk } from './event-by-event.ts';
import { LevelWork } from './level-work.ts';
import { SeenEffects } from './seen-effects.ts';

const { program, plan, bitmaps, reads, control, port } = workerData as HelperTask;
const effects = new SeenEffects(reads, plan.sizes);
const work = new LevelWork(program, plan, bitmaps, effects, true);

const say = (message: HelperMessage): void => port.postMessage(message);

function workOn(level: number): void {
  try {
    work.begin(level - 1);
    for (const _ of takeRows(control, plan, work));
    say({ kind: 'level', tally: work.tally, met: effects.take() });
  } catch (error) {
    if (error instanceof EndlessTalk) say({ kind: 'endless', delivery: error.delivery });
    else
      say({
        kind: 'failed',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
  }
}

/** Waits for the next level. A call to wake up may come late, when its level is long done; so it is not believed. */
function levelAfter(done: number): number {
  for (;;) {
    const level = Atomics.load(control, levelNumber);
    if (level !== done) return level;
    Atomics.wait(control, levelNumber, done);
  }
}

for (let level = 0; level !== lastLevel; ) {
  level = levelAfter(level);
  if (level !== lastLevel) workOn(level);
  else say({ kind: 'uses', uses: work.rows.uses() });
  Atomics.add(control, finished, 1);
}
port.close();
