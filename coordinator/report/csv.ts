/**
 * `csv` and `tsv`: one row a trial, or with `detail` one a trial and name of a request, every number in base units, which the headings name. RFC 4180; texts that a
 * spreadsheet would take for a formula are quoted as OWASP advises (a leading apostrophe).
 */
import { stringify } from 'csv-stringify/sync';
import { csvColumns } from './csv-columns.ts';
import { matrixRows, type Row } from './csv-matrix.ts';
import { requestRows } from './csv-requests.ts';
import type { FormatOptions } from './formatter.ts';
import type { Report } from './schema.ts';

/** With the line ends of RFC 4180. */
export function formatCsv(report: Report, options?: FormatOptions): string {
  return separated(rowsOf(report, options), ',', '\r\n');
}

/** For pasting; a text has no tabs or line breaks, so that every line is a row. */
export function formatTsv(report: Report, options?: FormatOptions): string {
  return separated(rowsOf(report, options), '\t', '\n');
}

/** The scenario's own tables, a heading a column; without one, a row a cell. */
export function formatCsvMatrix(report: Report): string {
  return separated(matrixRows(report), ',', '\r\n');
}

function rowsOf(report: Report, { detail = false }: FormatOptions = {}): Row[] {
  return detail ? requestRows(report) : trialRows(report);
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
