import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { withTables } from '../../../coordinator/report/cells.ts';
import { formatterFor } from '../../../coordinator/report/formats.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { HOSTILE_CELLS, hostileRun } from './hostile-fixture.ts';
import { closedRun, lostRun, sweepRun } from './journal-fixture.ts';

async function rowsOf(records: JournalRecord[], format = 'csv'): Promise<Record<string, string>[]> {
  const text = formatterFor(format)(await buildReport(records));
  return parse(text, { columns: true, delimiter: format === 'tsv' ? '\t' : ',' });
}

for (const format of ['csv', 'tsv']) {
  describe(`${format}: every number of the report is in the row of its trial`, () => {
    for (const [name, records] of [
      ['closed', closedRun()],
      ['lost', lostRun()],
      ['sweep', sweepRun()],
    ] as const) {
      test(name, async () => {
        const { trials } = await buildReport(records);
        const rows = await rowsOf(records, format);
        assert.equal(rows.length, trials.length);
        for (const [i, { summary, ledger, cell, round }] of trials.entries()) {
          const row = rows[i]!;
          const numbers: [column: string, value: number | undefined][] = [
            ['round', round],
            ['duration_us', summary.durationUs],
            ['requests_completed', summary.requests],
            ['requests_failed', summary.errors.total],
            ['request_rate_per_s', summary.requestRate],
            ['received_bytes', summary.bytes.received],
            ['received_bytes_per_s', summary.transferRate.received],
            ['body_bytes', summary.bytes.body],
            ['body_bytes_per_s', summary.transferRate.body],
            ['sent_bytes', summary.bytes.sent],
            ['latency_count', summary.latency.count],
            ['service_time_p50_us', summary.serviceTime?.p50],
            ['first_byte_mean_us', summary.firstByte?.mean],
            ['connect_max_us', summary.connect?.max],
            ['status_200', summary.status['200'] ?? 0],
            ['errors_reset', summary.errors.byClass.reset ?? 0],
            ['ledger_planned', ledger.planned],
            ['ledger_started', ledger.started],
            ['ledger_lost', ledger.lost],
          ];
          for (const [column, value] of numbers) {
            assert.equal(row[column], value === undefined ? '' : String(value), column);
          }
          for (const name of ['min', 'mean', 'stdev', 'p50', 'p90', 'max'] as const) {
            const expected = summary.requests === 0 ? '' : String(summary.latency[name]);
            assert.equal(row[`latency_${name}_us`], expected, name);
          }
          for (const [axis, value] of Object.entries(cell)) assert.equal(row[`cell.${axis}`], String(value));
        }
      });
    }
  });

  test(`${format}: no text is a formula, and none leaves its field`, async () => {
    const rows = await rowsOf(hostileRun(), format);
    assert.equal(rows.length, HOSTILE_CELLS.length);
    const first = rows[0]!;
    assert.equal(first['cell.target'], "'@SUM(1+1)*cmd|calc");
    assert.equal(first['cell.si|ze"'], '"><img src=x onerror=alert(1)>, b');
    assert.equal(rows[1]!['cell.si|ze"'], "'-2+3 ~x~ \\");
    for (const row of rows) {
      for (const field of Object.values(row)) {
        assert.doesNotMatch(field, /^[=+\-@]/);
        assert.doesNotMatch(field, /\p{Cc}/u);
      }
    }
  });
}

test('csv: a quantile that the sample cannot know is empty, as what was not measured is', async () => {
  const [row] = await rowsOf(closedRun());
  assert.equal(row!.latency_count, '297');
  assert.notEqual(row!.latency_p95_us, '');
  assert.deepEqual([row!.latency_p99_us, row!.latency_p999_us, row!.tls_p50_us], ['', '', '']);
});

test('csv has the line ends of RFC 4180, tsv those of a terminal', async () => {
  const report = await buildReport(sweepRun());
  const csv = formatterFor('csv')(report);
  assert.equal(csv.split('\r\n').length, csv.split('\n').length);
  assert.ok(!formatterFor('tsv')(report).includes('\r'));
});

describe('csv-matrix', () => {
  test('is the scenario’s table in its unit, from the exact medians', async () => {
    const { cells } = await buildReport(sweepRun());
    const rows = await rowsOf(sweepRun(), 'csv-matrix');
    assert.deepEqual(
      rows.map(({ size }) => size),
      ['4KiB', '64KiB'],
    );
    for (const { cell, transferRate } of cells) {
      const row = rows.find(({ size }) => size === cell.size)!;
      assert.equal(Number(row[`${cell.target} [KiB/s]`]), transferRate!.median / 1024);
    }
  });

  test('says DNF where no trial counts, and in base units where no unit is asked for', async () => {
    const records = sweepRun().map((record) => {
      if (record.type === 'run')
        return { ...record, report: [{ rows: 'size', columns: 'target', metric: 'p(50)' }] };
      if (record.type === 'trial-ended' && record.trial % 4 === 2)
        return { ...record, state: 'dnf' as const };
      return record;
    });
    const rows = await rowsOf(records, 'csv-matrix');
    assert.equal(rows[0]!['nio [us]'], 'DNF');
    assert.ok(Number(rows[0]!['httpd [us]']) > 1_000);
  });

  test('without rows and columns is a row a cell with both rates', async () => {
    const records = sweepRun().map((record) => (record.type === 'run' ? { ...record, report: [] } : record));
    const rows = await rowsOf(records, 'csv-matrix');
    const { cells } = await buildReport(records);
    assert.deepEqual(
      rows.map((row) => [
        row.target,
        row.size,
        Number(row['requestRate [req/s]']),
        Number(row['received [B/s]']),
      ]),
      cells.map(({ cell, requestRate, transferRate }) => [
        cell.target,
        cell.size,
        requestRate!.median,
        transferRate!.median,
      ]),
    );
  });
});

test('several tables are blocks of one sheet, each after its title, an empty line between', async () => {
  const report = withTables(await buildReport(sweepRun()), [
    { rows: 'size', columns: 'target', title: '=1+1' },
    { rows: 'round', columns: 'cell', metric: 'sentRate', unit: 'Mbit/s' },
  ]);
  const lines = formatterFor('csv-matrix')(report).split('\r\n');
  assert.deepEqual(lines.slice(0, 6), [
    "'=1+1",
    'size,httpd [req/s],nio [req/s]',
    '4KiB,109,150.5',
    '64KiB,129,169',
    '',
    'sentRate by round',
  ]);
  assert.match(lines[6]!, /^round,target=httpd size=4KiB \[Mbit\/s\],/);
  assert.match(lines[8]!, /^2,[\d.]+,[\d.]+,DNF,[\d.]+$/);
  assert.equal(lines.length, 13);
});
