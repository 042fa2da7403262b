/** The role of a format: the finished report model in, text out. */
import type { Report } from './schema.ts';

export interface FormatOptions {
  /** Width of the reader's terminal in columns, where the format is for people. */
  width?: number | undefined;
  /** More than the format has by itself: cells and trials in full, or rows by request. */
  detail?: boolean | undefined;
}

/** The whole text, with its final newline. */
export type Formatter = (report: Report, options?: FormatOptions) => string;

/** The same text in pieces, for what may be too large to be held at once. */
export type PieceFormatter = (report: Report, options?: FormatOptions) => Iterable<string>;
