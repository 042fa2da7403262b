/** Every format against a file that a person has read. `UPDATE_GOLDEN=1 npm test` writes them anew: read the diff. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { formatterFor, optionsFor } from '../../../coordinator/report/formats.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { decodeV2 } from '../../../shared/metrics/histogram-codec.ts';
import { closedRun, lostRun, sweepRun } from './journal-fixture.ts';
import { inRepository } from './repository.ts';
import { mixedRun, scriptRun } from './script-fixture.ts';

const thresholds = ['p(99) < 5ms', 'errors < 1%', 'requests == 297'].map((that) => ({
  that,
  abort: false,
  afterUs: 0,
}));

const ofScript = [
  'checks > 99%',
  'cached rate >= 70%',
  'http_req_duration p(99.9) < 30ms',
  'items p(50) < 9',
].map((that) => ({
  that,
  abort: false,
  afterUs: 0,
}));

const rows: [file: string, records: JournalRecord[], format: string, width?: number][] = [
  ['closed.txt', closedRun(thresholds), 'text'],
  ['closed-80.txt', closedRun(thresholds), 'text', 80],
  ['closed.ab.txt', closedRun(), 'ab'],
  ['closed.json', closedRun(thresholds), 'json'],
  ['lost.txt', lostRun(), 'text'],
  ['lost.json', lostRun(), 'json'],
  ['sweep.txt', sweepRun(), 'text'],
  ['sweep-80.txt', sweepRun(), 'text', 80],
  ['sweep.ab.txt', sweepRun(), 'ab'],
  ['closed.md', closedRun(thresholds), 'md'],
  ['lost.md', lostRun(), 'md'],
  ['sweep.md', sweepRun(), 'md'],
  ['closed.csv', closedRun(thresholds), 'csv'],
  ['lost.csv', lostRun(), 'csv'],
  ['sweep.csv', sweepRun(), 'csv'],
  ['closed.matrix.csv', closedRun(thresholds), 'csv-matrix'],
  ['lost.matrix.csv', lostRun(), 'csv-matrix'],
  ['sweep.matrix.csv', sweepRun(), 'csv-matrix'],
  ['closed.tsv', closedRun(thresholds), 'tsv'],
  ['lost.tsv', lostRun(), 'tsv'],
  ['sweep.tsv', sweepRun(), 'tsv'],
  ['closed.html', closedRun(thresholds), 'html'],
  ['lost.html', lostRun(), 'html'],
  ['sweep.html', sweepRun(), 'html'],
  ['closed.junit.xml', closedRun(thresholds), 'junit'],
  ['lost.junit.xml', lostRun(), 'junit'],
  ['sweep.junit.xml', sweepRun(), 'junit'],
  ['closed.hlog', closedRun(thresholds), 'hlog'],
  ['lost.hlog', lostRun(), 'hlog'],
  ['sweep.hlog', sweepRun(), 'hlog'],
  ['script.txt', scriptRun(ofScript), 'text'],
  ['script-80.txt', scriptRun(ofScript), 'text', 80],
  ['script.k6.txt', scriptRun(ofScript), 'k6'],
  ['script.json', scriptRun(ofScript), 'json'],
  ['script.csv', scriptRun(ofScript), 'csv'],
  ['script.md', scriptRun(ofScript), 'md'],
  ['script.html', scriptRun(ofScript), 'html'],
  ['script.junit.xml', scriptRun(ofScript), 'junit'],
  ['mixed.txt', mixedRun(), 'text'],
  ['mixed.ab.txt', mixedRun(), 'ab'],
  ['mixed.k6.txt', mixedRun(), 'k6'],
  ['mixed.csv', mixedRun(), 'csv'],
  ['mixed.matrix.csv', mixedRun(), 'csv-matrix'],
  ['mixed.md', mixedRun(), 'md'],
  ['mixed.html', mixedRun(), 'html'],
  ['mixed.hlog', mixedRun(), 'hlog'],
];

for (const [file, records, format, width] of rows) {
  test(`${file} is what ${format} prints`, async () => {
    const report = await buildReport(records, optionsFor(format));
    const text = withoutDeflate(formatterFor(format)(report, width === undefined ? {} : { width }));
    const path = inRepository(`test/coordinator/report/golden/${file}`);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
    assert.equal(text, readFileSync(path, 'utf8'));
  });
}

for (const [name, records] of [
  ['closed', closedRun(thresholds)],
  ['lost', lostRun()],
  ['sweep', sweepRun()],
  ['script', scriptRun(ofScript)],
  ['mixed', mixedRun()],
] as const) {
  test(`no line of the ${name} report is wider than asked for, or than 100`, async () => {
    const report = await buildReport(records);
    for (const [asked, most] of [
      [80, 80],
      [100, 100],
      [240, 100],
    ] as const) {
      for (const line of formatterFor('text')(report, { width: asked }).split('\n')) {
        assert.ok([...line].length <= most, `${asked}: ${line}`);
      }
    }
  });
}

/** Which bytes deflate makes is up to the zlib at hand; what they say is not. */
function withoutDeflate(text: string): string {
  return text
    .replace(/"histogram": "(.*)"/g, (_, base64: string) => `"histogram": "${described(base64)}"`)
    .replace(/(?<=,)HISTFA[\w+/=]*$/gm, described);
}

function described(base64: string): string {
  if (base64 === '') return '';
  const { indexes, counts } = decodeV2(base64);
  return `${indexes.length} places, ${counts.reduce((sum, count) => sum + count, 0)} values`;
}
