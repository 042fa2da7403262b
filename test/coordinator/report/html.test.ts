import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { formatHtml } from '../../../coordinator/report/html.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { HOSTILE_CELLS, hostileRun } from './hostile-fixture.ts';
import { closedRun, lostRun, runEnded, runRecord, sweepRun } from './journal-fixture.ts';

type Element = DefaultTreeAdapterTypes.Element;

const runs: Record<string, JournalRecord[]> = {
  closed: closedRun([{ that: 'errors < 1%', abort: false, afterUs: 0 }]),
  lost: lostRun(),
  sweep: sweepRun(),
  hostile: hostileRun(),
  'without a trial': [runRecord([]), runEnded()],
};

function elementsOf(html: string): Element[] {
  const problems: string[] = [];
  // As it is in the file: what is no character is replaced there.
  const document = parse(Buffer.from(html).toString(), {
    onParseError: ({ code, startLine }) => problems.push(`${startLine}: ${code}`),
  });
  assert.deepEqual(problems, []);
  const all: Element[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) all.push(node);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(document);
  return all;
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((one) => one.name === name)?.value;
}

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** What the page is made of; anything else came in through a text. */
const OURS = new Set(
  `html head meta title style body header h1 h2 h3 dl dt dd br main section p div table caption thead tbody tr th td
  small span strong a details summary b figure figcaption svg path text circle footer`.split(/\s+/),
);

describe('the page', () => {
  for (const [name, records] of Object.entries(runs)) {
    test(`${name}: is well-formed, and only of what it is made of`, async () => {
      const elements = elementsOf(formatHtml(await buildReport(records)));
      for (const element of elements) {
        assert.ok(OURS.has(element.tagName), element.tagName);
        for (const { name: given } of element.attrs) {
          assert.doesNotMatch(given, /^on|^style$|^src/);
        }
      }
    });

    test(`${name}: needs nothing from outside, and its policy allows nothing else`, async () => {
      const elements = elementsOf(formatHtml(await buildReport(records)));
      const ids = elements.flatMap((element) => attribute(element, 'id') ?? []);
      assert.equal(new Set(ids).size, ids.length);
      for (const link of elements.flatMap((element) => attribute(element, 'href') ?? [])) {
        assert.ok(link.startsWith('#') && ids.includes(link.slice(1)), link);
      }
      const style = textOf(elements.find(({ tagName }) => tagName === 'style')!);
      assert.doesNotMatch(style, /url\(|@import/);
      const policy = elements.flatMap((element) =>
        attribute(element, 'http-equiv') === 'Content-Security-Policy' ? attribute(element, 'content')! : [],
      );
      const hash = createHash('sha256').update(style).digest('base64');
      assert.deepEqual(policy, [
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
      ]);
    });

    test(`${name}: every chart and table says what it is`, async () => {
      for (const element of elementsOf(formatHtml(await buildReport(records)))) {
        if (element.tagName === 'svg') assert.match(attribute(element, 'aria-label') ?? '', /: ./);
        if (element.tagName === 'table')
          assert.notEqual(textOf(element.childNodes.find(({ nodeName }) => nodeName === 'caption')!), '');
        if (element.tagName === 'path') assert.doesNotMatch(attribute(element, 'd') ?? '', /NaN|Infinity/);
      }
    });
  }
});

test('a hostile text is seen as the text that it is', async () => {
  const elements = elementsOf(formatHtml(await buildReport(hostileRun())));
  const headings = elements.filter(({ tagName }) => tagName === 'th').map(textOf);
  assert.ok(headings.includes(HOSTILE_CELLS[0]!.target));
  assert.ok(headings.includes('"><img src=x onerror=alert(1)>, b'));
});

test('the table has the scenario’s rows, columns and unit, with the rounds’ range under each median', async () => {
  const elements = elementsOf(formatHtml(await buildReport(sweepRun())));
  const table = elements.find(({ tagName }) => tagName === 'table')!;
  const cells: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === 'td' || node.nodeName === 'th') cells.push(textOf(node));
    else if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(table);
  assert.deepEqual(cells.slice(0, 4), ['size \\ target', 'httpd', 'nio', '4KiB']);
  assert.match(cells[4]!, /^461\.65 \?[\d.]+ – [\d.]+$/);
});
