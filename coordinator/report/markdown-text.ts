/** Texts and tables in the Markdown of GitHub and GitLab (GFM), padded so that a mail reads well too. */
import { markdownTable } from 'markdown-table';
import type { TableModel } from './table-model.ts';

/**
 * Any text so that it shows as it is: nothing in it begins emphasis, a link, code, HTML or a cell. Only what has to
 * be escaped is, because in a mail the backslashes are seen. The text does not begin a block.
 */
export function escaped(text: string): string {
  return text
    .replace(/[`*[\]|~]|\\(?=[!-/:-@[-`{-~]|$)/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/<(?=[\p{L}/!?])/gu, '\\<')
    .replace(/&(?=#|[\p{L}\p{N}]+;)/gu, '\\&');
}

export function gfmTable({ head, rows, right }: TableModel): string[] {
  const cell = (text: string) => escaped(text).replaceAll('\n', '; ');
  const align = head.map((_, i) => (right.includes(i) ? 'r' : 'l'));
  return markdownTable([head.map(cell), ...rows.map((row) => row.map(cell))], { align }).split('\n');
}
