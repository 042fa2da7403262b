/** The formats of a comparison, by their names. */
import type { FormatOptions } from '../formatter.ts';
import { formatCsv } from './csv.ts';
import type { ComparisonFormat } from './format-names.ts';
import { formatMarkdown } from './markdown.ts';
import type { RunComparison } from './schema.ts';
import { formatText } from './text.ts';

/** The whole text, with its final newline. */
export type ComparisonFormatter = (comparison: RunComparison, options?: FormatOptions) => string;

export const COMPARISON_FORMATTERS: Record<ComparisonFormat, ComparisonFormatter> = {
  text: formatText,
  json: (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  md: formatMarkdown,
  csv: formatCsv,
};
