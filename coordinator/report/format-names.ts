/** The names that `--format` takes; apart from the formats, so that a command's help need not load them. */
export const FORMAT_NAMES = [
  'text',
  'ab',
  'json',
  'csv',
  'csv-matrix',
  'tsv',
  'md',
  'html',
  'junit',
  'hlog',
  'k6',
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];
