/** The terminal that results are printed on. */
import picocolors from 'picocolors';
import type { PageOptions } from '../report/timeline-text.ts';

/** Lines are not longer than this, however wide the terminal is. */
const widthMax = 120;
const widthMin = 60;

/** Columns of the terminal; without one what `COLUMNS` asks for; without both `otherwise`. At most as many as are read well. */
export function columnsOr(otherwise: number): number {
  const asked = Number(process.env.COLUMNS);
  return Math.min(widthMax, process.stdout.columns || (asked > 0 ? asked : otherwise));
}

/** Width and colours: colours only on a terminal, and not where `NO_COLOR` asks for none. */
export function page(): PageOptions {
  return {
    width: Math.max(widthMin, columnsOr(widthMax)),
    colors: picocolors.createColors(process.stdout.isTTY === true && picocolors.isColorSupported),
  };
}
