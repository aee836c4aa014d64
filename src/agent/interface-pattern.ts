/** Which interfaces are the agent's own. What is routed over them is deleted if it is not expected. */

/** An interface pattern that would own too much, or nothing that can be. */
export class PatternError extends Error {
  /** Always `PatternError`. */
  override name = 'PatternError';
}

/** The longest name that Linux gives an interface. */
const nameMax = 15;

/**
 * Reads patterns such as `cali*` or `cali*,tap?`: `*` stands for any characters, `?` for one.
 *
 * @throws PatternError for an empty pattern, and for one without a beginning: it would own interfaces that are not pods'
 */
export function interfacePattern(text: string): (name: string) => boolean {
  const patterns = text.split(',').map((each) => each.trim());
  for (const pattern of patterns) {
    const beginning = /^[^*?]*/.exec(pattern)?.[0] ?? '';
    if (beginning === '')
      throw new PatternError(
        `the interface pattern '${text}' would own every interface, and every route over it. Begin it with what all pods' interfaces begin with, such as 'cali*'.`,
      );
    if (beginning.length > nameMax || /[\s/]/.test(pattern))
      throw new PatternError(
        `the interface pattern '${pattern}' fits no interface: a name has at most ${nameMax} characters, none of them a space or a slash.`,
      );
  }
  const expressions = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern
          .replace(/[.+^${}()|[\]\\]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll('?', '.')}$`,
        's',
      ),
  );
  return (name) => expressions.some((expression) => expression.test(name));
}
