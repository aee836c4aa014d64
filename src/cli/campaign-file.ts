/** The file of a campaign: what was run, and what came of it. Read and written whole. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { FuzzReport } from '../random/fuzz.ts';
import { reasonOf } from '../reason-of.ts';
import type { Instance } from './instance.ts';
import { recordedEndpoints } from './recorded-system.ts';
import { writeWhole } from './trace-files.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);
const pick = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('choice'), id: z.string() }),
  z.strictObject({ kind: z.literal('timer'), part: z.string(), timer: z.string() }),
  z.strictObject({ kind: z.literal('time') }),
]);
const report = z.object({
  system: z.string(),
  runs: count,
  steps: count,
  seed: z.int(),
  drawing: z.string(),
  shards: z.array(z.object({ index: z.int().positive(), of: z.int().positive(), done: count })).nonempty(),
  properties: z.array(
    z.object({
      id: z.string(),
      held: count,
      violation: z
        .object({
          run: count,
          seed: z.int(),
          path: z.string().regex(/^\d+(:\d+)*$/),
          foundLength: count,
          trace: z.object({
            system: z.string(),
            property: z.string(),
            picks: z.array(pick),
            loop: count.optional(),
          }),
        })
        .optional(),
    }),
  ),
  statistics: z.object({
    drawn: count,
    made: count,
    depths: counts,
    faults: counts,
    matrix: z.record(z.string(), counts),
  }),
  statesVisited: count.optional(),
  stopped: z.enum(['interrupted', 'time-limit']).optional(),
});
const schema = z.object({
  format: z.literal('routeproof campaign'),
  routeproof: z.string(),
  design: z.string(),
  parameters: z.record(z.string(), z.number()),
  endpoints: recordedEndpoints,
  faults: z.array(z.string()),
  strikes: z.union([count, z.literal('unbounded')]),
  properties: z.array(z.string()).optional(),
  reports: z.array(report).nonempty(),
});

/** What a campaign file says. */
export interface Campaign {
  readonly format: 'routeproof campaign';
  readonly routeproof: string;
  readonly design: string;
  readonly parameters: Readonly<Record<string, number>>;
  readonly endpoints: number;
  readonly faults: readonly string[];
  readonly strikes: number | 'unbounded';
  /** The properties that were asked for; all if left out. */
  readonly properties?: readonly string[];
  /** One for each system in which properties are decided. */
  readonly reports: readonly FuzzReport[];
}

/** A campaign as it is written. */
export function campaignOf(
  { design, endpoints, faults, strikes }: Instance,
  properties: readonly string[] | undefined,
  reports: readonly FuzzReport[],
): Campaign {
  return {
    format: 'routeproof campaign',
    routeproof: version(),
    design: design.id,
    parameters: { ...design.parameters },
    endpoints,
    faults,
    strikes: strikes ?? 'unbounded',
    ...(properties === undefined ? {} : { properties }),
    reports,
  };
}

/** Writes a campaign. */
export async function writeCampaign(file: string, campaign: Campaign): Promise<void> {
  await writeWhole(file, `${JSON.stringify(campaign, null, 2)}\n`);
}

/**
 * Reads a campaign.
 *
 * @throws UsageError if it cannot be read, or is none
 */
export async function readCampaign(file: string): Promise<Campaign> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    throw new UsageError(`${file}: the file cannot be read (${reason}).`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason = reasonOf(error);
    throw new UsageError(
      `${file}: it is not JSON (${reason}). Name a file that 'routeproof fuzz --output' wrote.`,
    );
  }
  const read = schema.safeParse(json);
  if (!read.success)
    throw new UsageError(
      `${file}: it is no campaign of routeproof. Name a file that 'routeproof fuzz --output' wrote.\n${z.prettifyError(read.error)}`,
    );
  return read.data as unknown as Campaign;
}
