import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseScenario } from '../../../shared/domain/scenario-source.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import { FULL_SCENARIO } from './scenario-text.ts';

const withReport = (report: string) => FULL_SCENARIO.replace(/^report: .*$/m, `report: ${report}`);
const tablesOf = (report: string) => parseScenario(withReport(report), 'it.yaml').report;

const REST_LOAD = 'load: { executor: constant-connections, requests: 1 }';

describe('the tables of a report', () => {
  const TAKEN: [sentence: string, report: string, tables: unknown[]][] = [
    ['a mapping is one', '{ rows: size }', [{ rows: 'size' }]],
    [
      'a list is as many as it has',
      '[{ rows: size, columns: target }, { rows: size, columns: target, metric: sentRate, unit: Mbit/s }]',
      [
        { rows: 'size', columns: 'target' },
        { rows: 'size', columns: 'target', metric: 'sentRate', unit: 'Mbit/s' },
      ],
    ],
    ['an empty list is none', '[]', []],
    ['rounds may be rows', '{ rows: round, columns: target }', [{ rows: 'round', columns: 'target' }]],
    ['rounds may be columns', '{ rows: cell, columns: round }', [{ rows: 'cell', columns: 'round' }]],
    [
      'the best may be looked for along the rows',
      '{ rows: connections, columns: target, best: connections }',
      [{ rows: 'connections', columns: 'target', best: 'connections' }],
    ],
    ['or not at all', '{ rows: size, best: none }', [{ rows: 'size', best: 'none' }]],
    [
      'a baseline may be a row where there are no columns',
      '{ rows: connections, baseline: 1 }',
      [{ rows: 'connections', baseline: 1 }],
    ],
    [
      'it may be ratios to the baseline',
      '{ rows: size, columns: target, baseline: httpd, relative: true }',
      [{ rows: 'size', columns: 'target', baseline: 'httpd', relative: true }],
    ],
  ];
  for (const [sentence, report, tables] of TAKEN)
    test(sentence, () => assert.deepEqual(tablesOf(report), tables));

  const REFUSED: [sentence: string, report: string, message: string][] = [
    [
      'a key that there is not, in the second',
      '[{ rows: size }, { rwos: size }]',
      '14:28: report[1]: unknown key "rwos"; did you mean "rows"?',
    ],
    [
      'an axis that there is not, in the second',
      '[{ rows: size }, { rows: sise }]',
      '14:34: report[1].rows: "sise" is not an axis of the sweep; did you mean "size"?',
    ],
    ['what is no table', '[size]', '14:10: report[0]: "size" is not a mapping such as'],
    ['what is neither table nor list', 'size', '14:9: report: "size" is not a mapping such as'],
    [
      'a unit of another metric',
      '[{ metric: sentRate, unit: ms }]',
      '14:36: report[0].unit: "ms" is not a unit of sentRate',
    ],
    [
      'a baseline that is no column',
      '[{ rows: size, columns: target, baseline: 4KiB }]',
      '14:51: report[0].baseline: "4KiB" is not a value of the columns (target)',
    ],
    [
      'ratios to nothing',
      '{ rows: size, columns: target, relative: true }',
      '14:50: report.relative: a ratio needs what it is to; add "baseline", a value of the columns',
    ],
    [
      'a unit of ratios',
      '{ baseline: httpd, relative: true, metric: sentRate, unit: Mbit/s }',
      '14:68: report.unit: a ratio has no unit',
    ],
    ['no flag', '{ baseline: httpd, relative: 2 }', '14:38: report.relative: 2 is not true or false'],
    ['rows twice', '{ rows: round, columns: round }', '14:33: report.columns: "round" is the rows already'],
    [
      'a cell beside one of its axes',
      '{ rows: cell, columns: size }',
      '14:32: report.columns: "size" is part of a cell; with cell the other is round, or left out',
    ],
    [
      'the best along what is in no table',
      '{ rows: size, best: target }',
      '14:29: report.best: "target" is neither rows nor columns',
    ],
    [
      'the best of rounds',
      '{ rows: round, columns: target, best: target }',
      '14:47: report.best: rounds are no competitors',
    ],
  ];
  for (const [sentence, report, message] of REFUSED)
    test(`refuses ${sentence}`, () => {
      assert.throws(
        () => tablesOf(report),
        (error) => {
          assert.ok(error instanceof BroadsideError);
          assert.ok(error.message.startsWith(`it.yaml:${message}`), error.message);
          return true;
        },
      );
    });

  const named = (axis: string, report: string): string =>
    `targets: { web: "http://h" }\nsweep: { ${axis}: [1, 2], size: [1] }\nrequest: { path: "/\${${axis}}/\${size}" }\n${REST_LOAD}\nreport: ${report}\n`;

  test('an axis that is named as the rounds are is part of a cell like any other', () => {
    assert.throws(
      () => parseScenario(named('round', '{ rows: round, columns: cell }'), 'it.yaml'),
      /report\.rows: "round" is part of a cell; with cell the other is none/,
    );
    assert.ok(parseScenario(named('round', '{ rows: round, columns: size }'), 'it.yaml'));
  });

  test('one that is named as the cells are goes before them', () => {
    assert.ok(parseScenario(named('cell', '{ rows: cell, columns: size }'), 'it.yaml'));
  });
});
