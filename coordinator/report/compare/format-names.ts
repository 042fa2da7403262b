/** The names that `compare --format` takes; apart from the formats, so that the command's help need not load them. */
export const COMPARISON_FORMATS = ['text', 'json', 'md', 'csv'] as const;

export type ComparisonFormat = (typeof COMPARISON_FORMATS)[number];
