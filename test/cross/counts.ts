/** What every checker says of a system. */
export interface Counts {
  /** Distinct reachable states. */
  readonly states: number;
  /** Steps between them, those that change nothing included. */
  readonly edges: number;
}
