/**
 * Whether a record of a journal has the form that reports are made from. Journals outlive the versions that wrote them,
 * and files are damaged; what is wrong is said here, once, and not by whatever stumbles over it later. Looser than the
 * types of the records: what only passes through a report is not looked at.
 */
import { z } from 'zod';
import { hasFrequentForm } from './frequent-check.ts';
import { intervalProblem } from './interval-check.ts';
import type { IntervalRecord, JournalRecord } from './journal-records.ts';

const MOST_SHOWN = 40;

const text = z.string();
const number = z.number();
const whole = z.int().nonnegative();
const cell = z.record(text, z.union([text, number, z.boolean()]));

const plan = z.object({
  index: whole,
  cell,
  round: whole,
  target: z.object({ name: text, url: text }),
  requests: z.array(
    z.object({
      name: text,
      weight: number,
      method: text,
      url: text,
      headers: z.array(z.tuple([text, text])),
    }),
  ),
  load: z.object({ executor: text }),
  warmupUs: number,
});

const search = z.object({
  over: z.enum(['connections', 'rate']),
  from: number,
  to: number,
  step: number,
  until: z.array(text),
  tolerance: number,
});
const deciding = z.object({ value: number, trials: whole, held: whole, rate: number });

const shard = z.object({
  shard: text,
  worker: text,
  pool: text.optional(),
  hostname: text,
  threads: number,
  maxRate: number.optional(),
  clockOffsetUs: number,
  clockUncertaintyUs: number,
});

const totals = z.object({
  started: number,
  completed: number,
  failed: number,
  dropped: number,
  inFlight: number,
});

const hookResult = z.object({ command: text, durationUs: number, output: text, outputDropped: number });

const RECORDS: Record<Exclude<JournalRecord['type'], 'interval'>, z.ZodType> = {
  run: z.object({
    version: number,
    broadside: text,
    id: text,
    name: text,
    startedUs: number,
    trials: z.array(plan),
    resumed: z.object({ run: text, trials: z.array(whole) }).optional(),
    cells: z.array(cell),
    order: z.object({ name: text }),
    dnf: z.object({ errorRatio: number }),
    thresholds: z.array(z.object({ that: text })),
    report: z.array(z.object({})),
    searches: z.array(z.object({ cell, spec: search })).optional(),
  }),
  'search-trial': z.object({ search: whole, plan }),
  'search-answer': z.object({
    search: whole,
    answer: z.object({
      end: z.enum(['found', 'open', 'none', 'unfinished', 'stopped']),
      best: deciding.optional(),
      breaks: deciding.optional(),
      noMore: deciding.optional(),
      fewer: deciding.optional(),
      trials: whole,
    }),
  }),
  'coordinator-returned': z.object({ awayFromUs: number, returnedUs: number, during: whole.optional() }),
  preflight: z.object({
    findings: z.array(z.object({ worker: text, check: text, level: text, message: text })),
  }),
  hook: hookResult.extend({ hook: text, trials: z.array(whole) }),
  script: z.object({ trial: whole, facts: z.object({}) }),
  'script-log': z.object({ trial: whole, shard: text, text, linesLeftOut: whole }),
  'trial-started': z.object({ trial: whole, startUs: number, shards: z.array(shard) }),
  'shard-done': z.object({
    trial: whole,
    shard: text,
    intervals: number,
    totals,
    endUs: number,
    cpuSeconds: number,
    residentBytes: number,
    threadLoads: z
      .array(z.object({ cpuUs: number, waitUs: number, lengthUs: number, fullUs: number }))
      .optional(),
    held: z.object({ requests: number, us: number }).optional(),
  }),
  'worker-lost': z.object({ trial: whole, shard: text, worker: text, atUs: number, reason: text }),
  host: z.object({
    trial: whole,
    host: text,
    role: text,
    clockOffsetUs: number,
    clockUncertaintyUs: number,
  }),
  'host-facts': z.object({
    trial: whole,
    host: text,
    facts: z.object({
      hostname: text,
      cores: number,
      interfaces: z.array(z.object({ name: text, addresses: z.array(text) })),
      processes: z.array(text),
    }),
  }),
  'host-second': z.object({
    trial: whole,
    host: text,
    seq: whole,
    sample: z.object({ second: whole, fromUs: number, lengthUs: number }),
  }),
  'host-lost': z.object({ trial: whole, host: text, atUs: number, reason: text }),
  'trial-ended': z.object({ trial: whole, state: z.enum(['completed', 'dnf', 'aborted']) }),
  'run-ended': z.object({ endedUs: number, state: z.enum(['completed', 'failed', 'cancelled']) }),
};

/** @returns what is wrong with it and where in it, for people; undefined when nothing is */
export function problemOf(record: unknown): string | undefined {
  const { type } = (typeof record === 'object' && record !== null ? record : {}) as { type?: unknown };
  if (typeof type !== 'string') return 'it is no record, which is an object with a type';
  if (type === 'interval') return problemOfInterval(record as Partial<IntervalRecord>);
  return hasFrequentForm(type, record) ? undefined : problemInForm(type, record);
}

/** As `problemOf`, of all that is no interval; the form of each record is here. */
export function problemInForm(type: string, record: unknown): string | undefined {
  const form = Object.hasOwn(RECORDS, type) ? RECORDS[type as keyof typeof RECORDS] : undefined;
  if (form === undefined) return `there is no record of type ${JSON.stringify(type.slice(0, MOST_SHOWN))}`;
  const checked = form.safeParse(record);
  if (checked.success) return undefined;
  const [issue] = checked.error.issues;
  const place = issue!.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return `${type}${place.join('')}: ${issue!.message.replace(/^Invalid \w+: /, '')}`;
}

function problemOfInterval({ trial, shard, seq, interval }: Partial<IntervalRecord>): string | undefined {
  if (!isCount(trial)) return 'interval.trial: expected a whole number from 0';
  if (typeof shard !== 'string') return 'interval.shard: expected a string';
  if (!isCount(seq)) return 'interval.seq: expected a whole number from 0';
  const problem = intervalProblem(interval);
  return problem === undefined ? undefined : `interval.interval${problem}`;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
