/** Texts and tables in the Markdown of GitHub and GitLab (GFM), padded so that a mail reads well too. */
import { markdownTable } from 'markdown-table';
import type { Mark, TableModel } from './table-model.ts';
import { signsOf } from './text-table.ts';

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

/** What is best is bold; what else stands out has its sign after it. */
export function gfmTable({ head, rows, right, marks }: TableModel): string[] {
  const cell = (text: string) => escaped(text).replaceAll('\n', '; ');
  const align = head.map((_, i) => (right.includes(i) ? 'r' : 'l'));
  const body = rows.map((row, r) => row.map((text, i) => marked(cell(text), marks?.[r]?.[i])));
  return markdownTable([head.map(cell), ...body], { align }).split('\n');
}

function marked(text: string, marks: readonly Mark[] = []): string {
  const signs = signsOf(marks.filter((mark) => mark !== 'best'));
  return `${marks.includes('best') ? `**${text}**` : text}${signs === '' ? '' : ` ${signs}`}`;
}
