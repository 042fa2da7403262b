/**
 * Whether a record that every trial has, or every second of one, has its form: the forms of `journal-check.ts` once
 * more, by hand, because to look at each with a library takes as long as to read it.
 */
import type { JournalRecord } from './journal-records.ts';

type Unknown = Record<string, unknown>;

const FORMS: Partial<Record<JournalRecord['type'], (record: Unknown) => boolean>> = {
  'trial-started': ({ trial, startUs, shards }) =>
    isCount(trial) && isNumber(startUs) && isListOf(shards, isShard),
  'shard-done': ({ trial, shard, intervals, totals, endUs, cpuSeconds, residentBytes, threadLoads, held }) =>
    isCount(trial) &&
    isText(shard) &&
    [intervals, endUs, cpuSeconds, residentBytes].every(isNumber) &&
    areNumbers(totals, ['started', 'completed', 'failed', 'dropped', 'inFlight']) &&
    (threadLoads === undefined || isListOf(threadLoads, isThreadLoad)) &&
    (held === undefined || areNumbers(held, ['requests', 'us'])),
  'trial-ended': ({ trial, state }) =>
    isCount(trial) && (state === 'completed' || state === 'dnf' || state === 'aborted'),
  host: ({ trial, host, role, clockOffsetUs, clockUncertaintyUs }) =>
    isCount(trial) && isText(host) && isText(role) && isNumber(clockOffsetUs) && isNumber(clockUncertaintyUs),
  'host-second': ({ trial, host, seq, sample }) =>
    isCount(trial) &&
    isText(host) &&
    isCount(seq) &&
    areNumbers(sample, ['fromUs', 'lengthUs']) &&
    isCount((sample as Unknown).second),
};

/** @returns false also where it would take a closer look to tell */
export function hasFrequentForm(type: string, record: unknown): boolean {
  const form = Object.hasOwn(FORMS, type) ? FORMS[type as JournalRecord['type']] : undefined;
  return form?.(record as Unknown) ?? false;
}

function isShard(shard: unknown): boolean {
  if (!areNumbers(shard, ['threads', 'clockOffsetUs', 'clockUncertaintyUs'])) return false;
  const { shard: id, worker, pool = '', hostname, maxRate = 0 } = shard as Unknown;
  return [id, worker, pool, hostname].every(isText) && isNumber(maxRate);
}

function isThreadLoad(load: unknown): boolean {
  return areNumbers(load, ['cpuUs', 'waitUs', 'lengthUs', 'fullUs']);
}

function areNumbers(record: unknown, names: readonly string[]): boolean {
  if (typeof record !== 'object' || record === null) return false;
  for (const name of names) if (!isNumber((record as Unknown)[name])) return false;
  return true;
}

function isListOf(list: unknown, isOne: (value: unknown) => boolean): boolean {
  return Array.isArray(list) && list.every(isOne);
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
