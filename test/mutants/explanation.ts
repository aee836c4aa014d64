/** Why a mutant may survive. */
export interface Explanation {
  readonly kind: /** It is the same model by other words. */
    | 'equivalent'
    /** It changes what the model does not promise, or what no property is meant to speak of. */
    | 'out-of-scope'
    /** It changes what the model means, and nothing notices. */
    | 'gap';
  /** The heading under which it is listed. */
  readonly group: string;
  readonly reason: string;
  /** For a gap: what would notice. */
  readonly proposal?: string;
  /** Ids of the mutants. */
  readonly mutants: readonly string[];
}
