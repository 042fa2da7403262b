import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { lexer, type Tokens, walkTokens } from 'marked';
import { formatMarkdown } from '../../../coordinator/report/markdown.ts';
import { escaped, gfmTable } from '../../../coordinator/report/markdown-text.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { HOSTILE_CELLS, hostileRun } from './hostile-fixture.ts';
import { closedRun, lostRun, sweepRun } from './journal-fixture.ts';

function tablesOf(text: string): Tokens.Table[] {
  return lexer(text).filter((token): token is Tokens.Table => token.type === 'table');
}

/** What a reader sees: without escapes and entities. */
function seen(tokens: Tokens.Generic[] | undefined): string {
  return (tokens ?? [])
    .map((token) => {
      if (token.type === 'strong') return `${seen(token.tokens)} (bold)`;
      return token.type === 'escape' || token.type === 'text' ? token.text : '?';
    })
    .join('');
}

test('the scenario’s table has its rows and columns', async () => {
  const [pivot] = tablesOf(formatMarkdown(await buildReport(sweepRun())));
  assert.deepEqual(
    pivot!.header.map(({ tokens }) => seen(tokens)),
    ['size \\ target', 'httpd', 'nio'],
  );
  assert.deepEqual(
    pivot!.rows.map((row) => row.map(({ tokens }) => seen(tokens))),
    [
      ['4KiB', '461.65 ?', '637.42 †?'],
      ['64KiB', '546.36 ?', '715.77 (bold) ?'],
    ],
  );
  assert.deepEqual(pivot!.align, ['left', 'right', 'right']);
});

describe('every table has as many cells a row as headings, and both rates of each cell are in one', () => {
  for (const [name, records] of [
    ['closed', closedRun()],
    ['lost', lostRun()],
    ['sweep', sweepRun()],
    ['hostile', hostileRun()],
  ] as const) {
    test(name, async () => {
      const text = formatMarkdown(await buildReport(records));
      const tables = tablesOf(text);
      assert.ok(tables.length >= 2);
      assert.equal(text.match(/^\|[ :|-]+\|$/gm)?.length, tables.length);
      for (const { header, rows } of tables) {
        for (const row of rows) assert.equal(row.length, header.length);
      }
      assert.match(text, /requests\/s .* received|Request rate[\s\S]*Transfer rate/);
    });
  }
});

test('with detail every trial follows in full, under a heading of its own', async () => {
  const report = await buildReport(sweepRun());
  const headings = (detail: boolean) =>
    lexer(formatMarkdown(report, { detail })).flatMap((token) =>
      token.type === 'heading' ? [`${token.depth} ${seen(token.tokens)}`] : [],
    );
  const brief = headings(false);
  const added = headings(true).filter((heading) => !brief.includes(heading));
  assert.equal(added.filter((heading) => heading.startsWith('2 target=')).length, report.trials.length);
  assert.deepEqual(added.slice(0, 4), [
    '2 target=httpd size=4KiB, round 1',
    '3 Load',
    '3 Result',
    '3 Latency',
  ]);
  const single = await buildReport(closedRun());
  assert.equal(formatMarkdown(single, { detail: true }), formatMarkdown(single));
});

test('texts show as they are: no HTML, links, emphasis or code from a name or an error', async () => {
  const text = formatMarkdown(await buildReport(hostileRun()));
  const kinds = new Set<string>();
  walkTokens(lexer(text), (token) => {
    kinds.add(token.type);
    // `**Label**` and bare URLs, which GFM makes links of, are ours.
    if (token.type === 'link') assert.equal(token.raw, token.href);
    if (token.type === 'strong') assert.match(token.raw, /^\*\*[\w ]+\*\*$/);
  });
  for (const kind of ['html', 'em', 'codespan', 'image', 'del']) assert.ok(!kinds.has(kind), kind);
  const rows = tablesOf(text)[0]!.rows;
  assert.equal(rows.length, HOSTILE_CELLS.length);
});

test('any text in a table cell is seen as it was written', () => {
  // A cell is trimmed, and what looks like a URL or an address becomes a link with the same text.
  const text = fc.string({ unit: fc.constantFrom(...'ab_*`[]()|\\<>&;~#!x1- "\''), maxLength: 20 });
  fc.assert(
    fc.property(text, (raw) => {
      const cell = raw.trim().replace(/ +/g, ' ');
      const [table] = tablesOf(gfmTable({ head: ['a', 'b'], rows: [[cell, 'end']], right: [] }).join('\n'));
      assert.equal(seen(table!.rows[0]![0]!.tokens), cell);
      assert.equal(seen(table!.rows[0]![1]!.tokens), 'end');
    }),
  );
});

test('what needs no escape has none, for it is read in mails too', () => {
  for (const text of ['p(99) < 5ms', 'static_files & more', '±85 µs', 'C:\\dir', '1. a # b', '3 > 2 && 1']) {
    assert.equal(escaped(text), text);
  }
});
