import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { FORMAT_NAMES } from '../../../coordinator/report/format-names.ts';
import { formatterFor } from '../../../coordinator/report/formats.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { closedRun, runEnded, runRecord } from './journal-fixture.ts';
import { inRepository } from './repository.ts';

describe('formats by name', () => {
  for (const name of FORMAT_NAMES) {
    test(`${name} ends with one newline, with trials and without`, async () => {
      for (const records of [closedRun(), [runRecord([]), runEnded()]]) {
        assert.match(formatterFor(name)(await buildReport(records)), /\S *\r?\n+$/);
      }
    });
  }

  for (const name of ['xml', '', 'constructor', '__proto__']) {
    test(`${JSON.stringify(name)} is refused with the list of those that are`, () => {
      assert.throws(() => formatterFor(name), {
        code: 'USAGE',
        hint: `the formats are ${FORMAT_NAMES.join(', ')}`,
      });
    });
  }
});

test('README.md says what each format is for', () => {
  const readme = readFileSync(inRepository('README.md'), 'utf8');
  const rows = readme.slice(readme.indexOf('## Report formats')).split('\n\n')[1]!;
  const named = [...rows.matchAll(/^\| (`.*?) \|/gm)].flatMap((row) => [
    ...row[1]!.matchAll(/`(\w[\w-]*)`/g),
  ]);
  assert.deepEqual(named.map((match) => match[1]).sort(), [...FORMAT_NAMES].sort());
});

test('json is the report itself', async () => {
  const report = await buildReport(closedRun());
  const parsed = JSON.parse(formatterFor('json')(report));
  assert.deepEqual(parsed, report);
  assert.equal(parsed.schema, 'broadside.report/1');
});

test('text: the printed rates are the printed counts over the printed duration, to the last digit', async () => {
  const text = formatterFor('text')(await buildReport(closedRun()));
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  const seconds = number(/in (\d+\.\d{6}) s$/m);
  assert.equal(
    (number(/^Requests +(\d+) completed/m) / seconds).toFixed(2),
    /^Request rate +([\d.]+)\/s$/m.exec(text)?.[1],
  );
  const rate = number(/^Bytes +(\d+) B /m) / seconds;
  assert.equal((rate / 1024).toFixed(2), /^Transfer rate +([\d.]+) KiB\/s received/m.exec(text)?.[1]);
  assert.equal(rate.toFixed(0), /received \((\d+) bytes\/s\)/.exec(text)?.[1]);
});

test('text: what a server or a scenario says cannot command the terminal', async () => {
  const records = closedRun().map((record) => {
    const copy = structuredClone(record);
    if (copy.type === 'run') copy.name = 'evil\u001b]0;title\u0007';
    if (copy.type === 'interval') {
      for (const error of copy.interval.firstErrors) error.message = 'bad\u001b[2J\nreply\u009b1m';
    }
    return copy;
  });
  const text = formatterFor('text')(await buildReport(records));
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
  assert.match(text, /bad \[2J reply 1m/);
});
