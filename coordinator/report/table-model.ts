/** A table before it is text. */
export interface TableModel {
  head: string[];
  /** As many cells as the head has, without control characters. */
  rows: string[][];
  /** The columns whose cells are numbers, set to the right. */
  right: number[];
  /** Of cells that stand out, in rows as those above. */
  marks?: (Mark | undefined)[][];
}

/** How a cell stands out: the best of those it competes with, one of several best, or with a stall in it. */
export type Mark = 'best' | 'tied' | 'stalled';
