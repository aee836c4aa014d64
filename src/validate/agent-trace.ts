/** The trace of an agent, read back: what it holds may come from anywhere, so it is looked over first. */
import { z } from 'zod';
import { designs, type Parameter } from '../../models/index.ts';
import type { Line } from '../agent/record.ts';
import type { TraceHead } from '../agent/trace-file.ts';
import { reasonOf } from '../reason-of.ts';

/** A trace. */
export interface AgentTrace {
  /** What it is of. */
  readonly head: TraceHead;
  /** The steps. */
  readonly lines: readonly Line[];
  /** The last line is cut off: the agent ended while it wrote it. */
  readonly cut: boolean;
}

/** A file that is no trace of an agent. */
export class AgentTraceError extends Error {
  /** Always `AgentTraceError`. */
  override name = 'AgentTraceError';
}

const names = Object.keys(designs[0]?.parameters ?? {}) as Parameter[];
const seconds = z.number().positive();
const parameters = z
  .object({
    ...(Object.fromEntries(names.map((name) => [name, seconds])) as Record<Parameter, typeof seconds>),
    // Traces from before there was one do not have it.
    retryDelayMax: seconds.optional(),
  })
  .transform((read) => ({ ...read, retryDelayMax: read.retryDelayMax ?? read.retryDelay }));
const head = z.object({
  format: z.literal('routeproof agent trace'),
  version: z.literal(1),
  design: z.string(),
  parameters,
  node: z.string(),
});

const value: z.ZodType<unknown> = z.lazy(() => z.union([z.string(), z.record(z.string(), value)]));
const found = z.union([z.array(z.string()), z.literal('unreadable'), z.null()]);
const common = {
  at: z.number().nonnegative(),
  state: z.object({ watcher: value, apply: value, cleanup: z.record(z.string(), value).optional() }),
};
const plain = [
  ...['connection.opened', 'connection.closed', 'connection.abandoned', 'probe.returned'],
  ...['dial.failed', 'list.failed', 'watch.cancelled'],
] as const;
const line = z.discriminatedUnion('step', [
  z.object({ ...common, step: z.enum(plain) }),
  z.object({ ...common, step: z.literal('list.completed'), endpoints: z.record(z.string(), found) }),
  z.object({ ...common, step: z.literal('watch.attempted'), answer: z.enum(['level', 'behind', 'refused']) }),
  z.object({
    ...common,
    step: z.literal('event.delivered'),
    interface: z.string().optional(),
    endpoint: found.optional(),
  }),
  z.object({
    ...common,
    step: z.enum(['interface.appeared', 'interface.vanished']),
    interface: z.string(),
    index: z.int(),
  }),
  z.object({
    ...common,
    step: z.enum(['apply.ran', 'resync.ran']),
    found: z.record(
      z.string(),
      z.union([z.object({ index: z.int(), up: z.boolean(), routes: z.array(z.string()) }), z.null()]),
    ),
    repaired: z.record(z.string(), z.array(z.string())),
  }),
  z.object({
    ...common,
    step: z.literal('fence.polled'),
    interface: z.string(),
    destination: z.string(),
    answer: z.object({ expected: z.boolean(), claimed: z.boolean() }).optional(),
  }),
  z.object({
    ...common,
    step: z.literal('delete.executed'),
    interface: z.string(),
    destination: z.string(),
    index: z.int().optional(),
    outcome: z.enum(['done', 'absent', 'failed']),
  }),
  z.object({ ...common, step: z.literal('timer'), part: z.string(), timer: z.string() }),
]);

/**
 * Reads a trace.
 *
 * @throws AgentTraceError that names the line
 */
export function readAgentTrace(text: string): AgentTrace {
  const rows = text.split('\n');
  const cut = rows.at(-1) !== '';
  rows.pop();
  const [first, ...rest] = rows;
  if (first === undefined) throw new AgentTraceError('it has no line. It is empty, or was cut off.');
  return {
    head: parse(head, first, 1),
    lines: rest.map((row, place) => parse(line, row, place + 2) as Line),
    cut,
  };
}

function parse<T>(schema: z.ZodType<T>, row: string, number: number): T {
  let json: unknown;
  try {
    json = JSON.parse(row);
  } catch (error) {
    throw new AgentTraceError(`line ${number} is not JSON: ${reasonOf(error)}`);
  }
  const read = schema.safeParse(json);
  if (!read.success)
    throw new AgentTraceError(
      `line ${number} is no line of an agent's trace\n${z.prettifyError(read.error)}`,
    );
  return read.data;
}
