/**
 * What a real k6 wrote of `recorded/script.js`, as CSV with the flags of `runCommand` and, in the same run, as JSON: the one
 * is read, the other is the truth.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../scripts/load-script.ts';
import { type RawSample, readSamples } from '../../../support/k6-samples.ts';

export const RECORDINGS = ['k6-1', 'k6-2'] as const;
export type Recording = (typeof RECORDINGS)[number];

const folder = path.join(ROOT, 'test/worker/engine/k6/recorded');

export function recordedCsv(recording: Recording): Buffer {
  return readFileSync(path.join(folder, `${recording}.csv`));
}

/** In the order in which k6 made them, which is not the CSV's. */
export function recordedSamples(recording: Recording): RawSample[] {
  return readSamples(readFileSync(path.join(folder, `${recording}.jsonl`), 'utf8'));
}
