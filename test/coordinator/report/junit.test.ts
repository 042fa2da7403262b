import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { convert } from 'xmlbuilder2';
import { validateXML } from 'xmllint-wasm';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { formatJunit } from '../../../coordinator/report/junit.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { hostileRun } from './hostile-fixture.ts';
import { closedRun, lostRun, runEnded, runRecord, sweepRun } from './journal-fixture.ts';
import { inRepository } from './repository.ts';

const thresholds = ['errors < 1%', 'requests == 297'].map((that) => ({ that, abort: false, afterUs: 0 }));
const runs: Record<string, JournalRecord[]> = {
  closed: closedRun(thresholds),
  lost: lostRun(),
  sweep: sweepRun(),
  hostile: hostileRun(),
  'without a trial': [runRecord([]), runEnded({ state: 'failed', reason: 'no worker came' })],
};

interface TestCase {
  '@name': string;
  '@classname': string;
  error?: { '@type': string; '@message': string; '#'?: string };
  failure?: { '@type': string; '@message': string };
}

interface TestSuite {
  '@name': string;
  '@tests': string;
  '@failures': string;
  '@errors': string;
  testcase?: TestCase | TestCase[];
}

/** The reader leaves entities in attributes as they are. */
function decoded(text: string | undefined): string | undefined {
  return text?.replaceAll('&lt;', '<');
}

async function suitesOf(records: JournalRecord[]): Promise<(TestSuite & { cases: TestCase[] })[]> {
  const xml = formatJunit(await buildReport(records));
  const tree = convert(xml, { format: 'object' }) as unknown as { testsuites: { testsuite: TestSuite[] } };
  return tree.testsuites.testsuite.map((suite) => ({ ...suite, cases: [suite.testcase ?? []].flat() }));
}

test('every report is what the schema asks for', async () => {
  const schema = readFileSync(inRepository('test/coordinator/report/junit.xsd'), 'utf8');
  const xml = await Promise.all(
    Object.entries(runs).map(async ([name, records]) => ({
      fileName: `${name.replaceAll(' ', '-')}.xml`,
      contents: formatJunit(await buildReport(records)),
    })),
  );
  const { valid, errors } = await validateXML({ xml, schema });
  assert.deepEqual(
    errors.map(({ rawMessage }) => rawMessage),
    [],
  );
  assert.ok(valid);
});

describe('the counts of a suite are those of its cases', () => {
  for (const [name, records] of Object.entries(runs)) {
    test(name, async () => {
      for (const suite of await suitesOf(records)) {
        assert.equal(suite.cases.length, Number(suite['@tests']), suite['@name']);
        assert.equal(
          suite.cases.filter(({ failure }) => failure !== undefined).length,
          Number(suite['@failures']),
        );
        assert.equal(suite.cases.filter(({ error }) => error !== undefined).length, Number(suite['@errors']));
      }
    });
  }
});

test('a crossed threshold is a failure with what was measured', async () => {
  const [, , judged] = await suitesOf(closedRun(thresholds));
  assert.deepEqual(
    judged!.cases.map(({ '@name': name, failure }) => [decoded(name), decoded(failure?.['@message'])]),
    [
      ['errors < 1%', 'errors < 1%: measured 1%'],
      ['requests == 297', undefined],
    ],
  );
});

test('a trial that did not finish is an error with its reason and the first errors', async () => {
  const [, trials] = await suitesOf(sweepRun());
  const broken = trials!.cases.filter(({ error }) => error !== undefined);
  assert.equal(broken.length, 1);
  assert.match(broken[0]!['@classname'], /\.target=nio size=4KiB$/);
  assert.equal(broken[0]!.error!['@message'], 'no request completed, 40 failed');
  assert.match(broken[0]!.error!['#']!, /^reset at 0\.001000 s on w1: read ECONNRESET/);
});

test('a run that failed is an error, also when no trial was begun', async () => {
  const [run] = await suitesOf(runs['without a trial']!);
  assert.equal(run!.cases[0]!.error!['@message'], 'no worker came');
});
