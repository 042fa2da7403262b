import type { Report } from './schema.ts';

/** The report itself; its form is DESIGN's "Report JSON". */
export function formatJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
