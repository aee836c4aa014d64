/** The terminal that results are printed on. */
import picocolors from 'picocolors';
import type { PageOptions } from '../report/timeline-text.ts';

/** Lines are not longer than this, however wide the terminal is. */
const widthMax = 120;
const widthMin = 60;

/** Width and colours: colours only on a terminal, and not where `NO_COLOR` asks for none. */
export function page(): PageOptions {
  const { isTTY, columns = widthMax } = process.stdout;
  return {
    width: Math.max(widthMin, Math.min(widthMax, columns || widthMax)),
    colors: picocolors.createColors(isTTY === true && picocolors.isColorSupported),
  };
}
