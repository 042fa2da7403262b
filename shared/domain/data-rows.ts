/** Splitting rows over workers, and those of a worker over its threads. */
import type { DataPlan } from './run.ts';

/**
 * How many parts rows can be cut into: no part may be left without a row, for requests need one. Fewer workers or
 * threads take part then.
 */
export function mostParts(data: DataPlan | undefined): number {
  return data === undefined ? Number.POSITIVE_INFINITY : data.count;
}

/**
 * The share of one part: the rows with index ≡ part (mod parts), so that no two parts ever use the same row. Parts may
 * be split again.
 */
export function rowsOf(data: DataPlan, part: number, parts: number): DataPlan {
  const rows = data.rows.filter((_, i) => i % parts === part);
  return { columns: data.columns, count: rows.length, rows };
}
