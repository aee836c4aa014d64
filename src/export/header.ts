/** What stands at the top of a file for another checker: what it is, how to run it, and how the figures compare. */

/** The header of a Promela file. */
export function promelaHeader(system: string, writtenBy: string, file: string): string[] {
  return [
    `The system '${system}' in Promela, for Spin.`,
    `Written by: ${writtenBy}`,
    '',
    'It is the reachable behaviour only: properties are left out. Each option of the loop is a pick (a choice, a due',
    'timer, or time), and the tables say where it leads.',
    '',
    'Run:',
    `  spin -a ${file}`,
    '  gcc -O2 -DSAFETY -DNOREDUCE -DNOCOMP -DMEMLIM=16000 -o pan pan.c',
    '  ./pan -E -m10000000 -w25',
    '-E: a state without a step is no error here. -m: more than the longest path of a depth-first search, which may be',
    "half of all states; if Spin says 'max search depth too small', the search was cut off. -w: the hash table's slots",
    'as a power of two, best above the number of states. -DNOREDUCE: every step is made, none reduced away.',
    "-DNOCOMP: Spin's hash function collides far less on states this small if they are not masked first.",
    '',
    "Spin's 'states, stored' are the checker's states. Spin's 'transitions' are the checker's edges and one, which is",
    'the first state; steps that change nothing count in both.',
  ];
}

/** The header of a Murphi file. */
export function murphiHeader(system: string, writtenBy: string, file: string): string[] {
  return [
    `The system '${system}' in Murphi, for Rumur.`,
    `Written by: ${writtenBy}`,
    '',
    'It is the reachable behaviour only: properties are left out. Each rule is a pick (a choice, a due timer, or time),',
    'and the functions say where it leads; picks that concern several components are the rules of one set.',
    '',
    'Run:',
    `  rumur --deadlock-detection off --symmetry-reduction off -o model.c ${file}`,
    '  cc -std=c11 -O2 -o model model.c -lpthread',
    '  ./model',
    'Rumur and the compiler may take a minute or two for a large system. Some machines need -mcx16 or -latomic as well.',
    '',
    "Rumur's 'states' are the checker's states, and its 'rules fired' the checker's edges; steps that change nothing",
    'count in both.',
  ];
}
