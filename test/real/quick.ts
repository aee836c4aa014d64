import type { Design } from '../../models/index.ts';
import { scaled } from '../../src/agent/store-options.ts';

/** A design on which 10 s take 200 ms, and which is as patient after a failed dial as the model's coarse ticks are. */
export const quick = (design: Design): Design =>
  scaled({ ...design, parameters: { ...design.parameters, retryDelay: design.parameters.tick } }, 0.02);
