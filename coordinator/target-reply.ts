/** What a request to the target asks for, read from its URL. */
import { parseDuration, parseSize } from '../shared/domain/units.ts';

export interface ReplyPlan {
  status: number;
  /** Sent with chunked coding instead of a Content-Length. */
  chunked: boolean;
  /** The connection is closed after the reply. */
  close: boolean;
  delayMs: number;
  /** A further delay, drawn evenly from 0 to this. */
  jitterMs: number;
  /** Share of requests that are answered with 500. */
  errorRate: number;
}

export const PLAIN_REPLY: Readonly<ReplyPlan> = {
  status: 200,
  chunked: false,
  close: false,
  delayMs: 0,
  jitterMs: 0,
  errorRate: 0,
};

/** Longest delay or stall: a target is to be slow on demand, not to be forgotten. */
const MAX_WAIT_US = 600_000_000;

/** What the part after `?` asks for, or the sentence that says what is wrong with it. */
export function parseReply(query: string): ReplyPlan | string {
  const plan: ReplyPlan = { ...PLAIN_REPLY };
  for (const [name, value] of new URLSearchParams(query)) {
    const problem = applyOption(plan, name, value);
    if (problem !== undefined) return problem;
  }
  return plan;
}

function applyOption(plan: ReplyPlan, name: string, value: string): string | undefined {
  switch (name) {
    case 'delay':
    case 'jitter': {
      const waitMs = parseWaitMs(value);
      if (waitMs === undefined) return `${name}=${value}: expected a time of at most 10m, as 100ms or 1.5s`;
      plan[name === 'delay' ? 'delayMs' : 'jitterMs'] = waitMs;
      return undefined;
    }
    case 'status':
      plan.status = Number(value);
      return /^[2-5]\d\d$/.test(value) ? undefined : `status=${value}: expected 200 to 599`;
    case 'errorRate':
      plan.errorRate = value === '' ? Number.NaN : Number(value);
      return plan.errorRate >= 0 && plan.errorRate <= 1
        ? undefined
        : `errorRate=${value}: expected a share from 0 to 1`;
    case 'chunked':
    case 'close':
      plan[name] = value === '1';
      return value === '0' || value === '1' ? undefined : `${name}=${value}: expected 0 or 1`;
    default:
      return `unknown option ${name}: known are delay, jitter, status, errorRate, chunked, close`;
  }
}

/** `100ms` → 100; undefined when it is not a time or too long. */
export function parseWaitMs(text: string): number | undefined {
  const us = parseDuration(text);
  return us === undefined || us > MAX_WAIT_US ? undefined : us / 1000;
}

/** `65536`, `64KiB` → bytes; undefined when it is neither. */
export function parseBytes(text: string): number | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const bytes = parseSize(text);
  return bytes === undefined || !Number.isSafeInteger(bytes) ? undefined : bytes;
}
