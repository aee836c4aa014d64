/** What guides the walks of `routeproof fuzz`. */
import { partOf, phases } from '../../models/index.ts';
import type { Condition } from '../property.ts';
import type { Phase } from '../random/draw-walk.ts';
import { goalsOf } from '../random/fuzz.ts';
import type { System } from '../system.ts';
import { type Instance, obligationsOf } from './instance.ts';

/** The phases of a system: of all endpoints, if it has any. */
export function phasesOf({ endpoints }: Instance, { parts }: System): readonly Phase[] {
  return phases(parts.some(({ name }) => name === partOf('cni', 1)) ? endpoints : 0);
}

/** The same whichever of the properties are judged, so that a seed means the same run. */
export function guidanceOf(
  instance: Instance,
  system: System,
): { readonly phases: readonly Phase[]; readonly goals: readonly Condition[] } {
  const all = obligationsOf(instance).find((obligation) => obligation.system.id === system.id);
  return { phases: phasesOf(instance, system), goals: goalsOf(all?.properties ?? []) };
}
