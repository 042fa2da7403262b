/** A table before it is text. */
import type { Verdict } from './schema.ts';

export interface TableModel {
  head: string[];
  /** As many cells as the head has, without control characters. */
  rows: string[][];
  /** The columns whose cells are numbers, set to the right. */
  right: number[];
  /** How cells stand out, in rows as those above; a row without any may be empty. */
  marks?: (readonly Mark[] | undefined)[][];
}

/**
 * The best of those it competes with, one of several best, with a stall in it, or of fewer rounds than were begun; and
 * what limited it, where that was not the target.
 */
export type Mark = 'best' | 'tied' | 'stalled' | 'partial' | LimitMark;

export type LimitMark = Exclude<Verdict['limit'], 'target'>;
