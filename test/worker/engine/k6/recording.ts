/**
 * What a real k6 wrote of `recorded/script.js`, as CSV with the flags of `runCommand` and, in the same run, as JSON: the one
 * is read, the other is the truth.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../scripts/load-script.ts';

export const RECORDINGS = ['k6-1', 'k6-2'] as const;
export type Recording = (typeof RECORDINGS)[number];

export interface TrueSample {
  metric: string;
  /** Since the epoch. */
  timeUs: number;
  value: number;
  tags: Record<string, string>;
}

const folder = path.join(ROOT, 'test/worker/engine/k6/recorded');

export function recordedCsv(recording: Recording): Buffer {
  return readFileSync(path.join(folder, `${recording}.csv`));
}

/** In the order in which k6 made them, which is not the CSV's. */
export function recordedSamples(recording: Recording): TrueSample[] {
  return readSamples(readFileSync(path.join(folder, `${recording}.json`), 'utf8'));
}

/** k6's JSON output. */
export function readSamples(json: string): TrueSample[] {
  return json
    .split('\n')
    .filter((line) => line.startsWith('{"metric"'))
    .map((line) => {
      const { metric, data } = JSON.parse(line) as {
        metric: string;
        data: { time: string; value: number; tags: Record<string, string> | null };
      };
      return { metric, timeUs: microseconds(data.time), value: data.value, tags: data.tags ?? {} };
    });
}

/** RFC 3339 with up to nine decimals; what is below a microsecond is cut off, as k6 does. */
function microseconds(time: string): number {
  const [, seconds, fraction = '', zone] = /^(.*:\d\d)(?:\.(\d+))?(Z|[+-].*)$/.exec(time)!;
  return Date.parse(`${seconds}${zone}`) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
