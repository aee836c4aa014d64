/** How `ip` is told an interface's index in place of a name. */

/** Longer than any alternative name of an interface may be: 127 characters. */
const unlikeNames = 130;

/**
 * Spells an interface by its index. `ip` takes `if5` for index 5, but only where no interface has that name; so it is made
 * longer than names may be, by zeros that mean nothing. `ip link show` asks the kernel by name, so it does not take it.
 */
export function byIndex(index: number): string {
  return `if${String(index).padStart(unlikeNames - 2, '0')}`;
}
