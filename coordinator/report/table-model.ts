/** A table before it is text. */
export interface TableModel {
  head: string[];
  /** As many cells as the head has, without control characters. */
  rows: string[][];
  /** The columns whose cells are numbers, set to the right. */
  right: number[];
}
