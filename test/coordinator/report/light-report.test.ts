import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { withTables } from '../../../coordinator/report/cells.ts';
import { FORMAT_NAMES } from '../../../coordinator/report/format-names.ts';
import { formatterFor, optionsFor } from '../../../coordinator/report/formats.ts';
import { withoutHistograms, withoutSeconds } from '../../../coordinator/report/light-report.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import type { Report } from '../../../coordinator/report/schema.ts';
import { closedRun, lostRun, sweepRun } from './journal-fixture.ts';
import { mixedRun, scriptRun } from './script-fixture.ts';

/** As a client gets it. */
const overHttp = (report: Report) => JSON.parse(JSON.stringify(report)) as Report;
const histogramsIn = (report: Report) => (JSON.stringify(report).match(/"histogram":"[^"]+"/g) ?? []).length;

const RUNS: [name: string, records: JournalRecord[]][] = [
  ['closed', closedRun()],
  ['lost', lostRun()],
  ['sweep', sweepRun()],
  ['script', scriptRun()],
  ['mixed', mixedRun()],
];

describe('a format prints the same without what it says it does not need', () => {
  for (const format of FORMAT_NAMES.filter((name) => optionsFor(name).histograms === false)) {
    for (const detail of [false, true]) {
      test(`${format}${detail ? ' --detail' : ''}`, async () => {
        for (const [name, records] of RUNS) {
          const options = optionsFor(format, detail);
          const report = await buildReport(records, options);
          const all = options.secondLatencies === false ? withoutSeconds(report) : report;
          const light = overHttp(withoutHistograms(all));
          assert.equal(histogramsIn(light), 0);
          const print = formatterFor(format);
          assert.equal(print(light, { detail }), print(report, { detail }), name);
        }
      });
    }
  }
});

test('those that print or draw them say so', () => {
  const needing = FORMAT_NAMES.filter((name) => optionsFor(name).histograms === true);
  assert.deepEqual(needing, ['ab', 'json', 'html', 'hlog']);
});

test('a table of a quantile that summaries do not name keeps what it is taken from', async () => {
  const report = withTables(await buildReport(sweepRun()), [
    { rows: 'round', columns: 'cell', metric: 'p(40)' },
  ]);
  const light = overHttp(withoutHistograms(report));
  assert.equal(histogramsIn(light), report.trials.filter(({ summary }) => summary.requests > 0).length);
  const print = formatterFor('csv-matrix');
  assert.equal(print(light), print(report));
});

test('the report that it is taken from has them still', async () => {
  const report = await buildReport(closedRun());
  const before = JSON.stringify(report);
  withoutHistograms(report);
  assert.equal(JSON.stringify(report), before);
});

test('hosts have no seconds, and several trials no timeline', async () => {
  const light = withoutSeconds(await buildReport(sweepRun()));
  assert.ok(
    light.trials.every(
      ({ timeline, hosts }) => timeline.length === 0 && hosts.every(({ seconds }) => seconds.length === 0),
    ),
  );
  const single = await buildReport(closedRun());
  assert.deepEqual(withoutSeconds(single).trials[0]!.timeline, single.trials[0]!.timeline);
});
