/** Names of a system as other languages accept them. */

/** Different identifiers, one for each name: what no identifier may hold becomes an underscore. */
export function identifiers(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const base = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '') || 'x';
    let identifier = base;
    for (let count = 2; taken.has(identifier.toLowerCase()); count += 1) identifier = `${base}_${count}`;
    taken.add(identifier.toLowerCase());
    return identifier;
  });
}

/** A text that may stand in a comment of C, of Promela or on a line of its own. */
export function commentText(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, ' ')
    .replaceAll('*/', '* /')
    .replaceAll('/*', '/ *')
    .replaceAll('\\', '/');
}
