/**
 * `csv` and `tsv`: one row a trial, every number in base units, which the headings name. RFC 4180; texts that a
 * spreadsheet would take for a formula are quoted as OWASP advises (a leading apostrophe).
 */
import { stringify } from 'csv-stringify/sync';
import { csvColumns } from './csv-columns.ts';
import { matrixRows, type Row } from './csv-matrix.ts';
import type { Report } from './schema.ts';

/** With the line ends of RFC 4180. */
export function formatCsv(report: Report): string {
  return separated(trialRows(report), ',', '\r\n');
}

/** For pasting; a text has no tabs or line breaks, so that every line is a row. */
export function formatTsv(report: Report): string {
  return separated(trialRows(report), '\t', '\n');
}

/** The scenario's own table, a heading a column; without one, a row a cell. */
export function formatCsvMatrix(report: Report): string {
  return separated(matrixRows(report), ',', '\r\n');
}

function trialRows({ run, trials }: Report): Row[] {
  const columns = csvColumns(trials);
  return [
    columns.map(({ head }) => head),
    ...trials.map((trial) => columns.map(({ value }) => value(trial, run))),
  ];
}

export function separated(rows: Row[], delimiter: string, lineEnd: string): string {
  return stringify(rows, { delimiter, record_delimiter: lineEnd, escape_formulas: true });
}
