/** Our `ab` format beside what ab itself (2.3, Debian) printed of an nginx and of a server with odd lengths. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { formatAb } from '../../../coordinator/report/ab.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import type { Sample } from '../../support/intervals.ts';
import {
  CLOSED,
  closedRun,
  runEnded,
  runRecord,
  samples,
  sweepRun,
  trialPlan,
  trialRecords,
} from './journal-fixture.ts';
import { inRepository } from './repository.ts';

/** What scripts that read ab's output look for. */
const READERS: Record<string, RegExp> = {
  server: /^Server Software:[ \t]*(.*)$/m,
  host: /^Server Hostname:\s+(\S+)/m,
  port: /^Server Port:\s+(\d+)/m,
  path: /^Document Path:\s+(\S+)/m,
  concurrency: /^Concurrency Level:\s+(\d+)/m,
  seconds: /Time taken for tests:\s+([\d.]+) seconds/,
  complete: /Complete requests:\s+(\d+)/,
  failed: /Failed requests:\s+(\d+)/,
  transferred: /^Total transferred:\s+(\d+) bytes/m,
  html: /^HTML transferred:\s+(\d+) bytes/m,
  requestsPerSecond: /^Requests per second:\s+([\d.]+) \[#\/sec\] \(mean\)/m,
  timePerRequest: /^Time per request:\s+([\d.]+) \[ms\] \(mean\)$/m,
  timeAcross: /^Time per request:\s+([\d.]+) \[ms\] \(mean, across all concurrent requests\)$/m,
  transferRate: /^Transfer rate:\s+([\d.]+) \[Kbytes\/sec\] received$/m,
  connect: /^Connect:\s+(\d+)\s+(\d+)\s+([\d.]+)\s+(\d+)\s+(\d+)$/m,
  processing: /^Processing:\s+(\d+)\s+(\d+)\s+([\d.]+)\s+(\d+)\s+(\d+)$/m,
  waiting: /^Waiting:\s+(\d+)\s+(\d+)\s+([\d.]+)\s+(\d+)\s+(\d+)$/m,
  total: /^Total:\s+(\d+)\s+(\d+)\s+([\d.]+)\s+(\d+)\s+(\d+)$/m,
  p50: /^\s+50%\s+(\d+)$/m,
  p99: /^\s+99%\s+(\d+)$/m,
  longest: /^\s+100%\s+(\d+) \(longest request\)$/m,
};

function read(text: string, name: keyof typeof READERS): string {
  const match = READERS[name]!.exec(text);
  assert.ok(match, `${name} was not found`);
  return match[1]!;
}

function recorded(name: string): string {
  return readFileSync(inRepository(`test/coordinator/report/ab-recorded/${name}.txt`), 'utf8');
}

async function ours(list: Sample[], change: { keepAlive?: boolean; post?: boolean } = {}): Promise<string> {
  const plan = trialPlan(0, { ...CLOSED, requests: list.length, keepAlive: change.keepAlive ?? false });
  if (change.post) Object.assign(plan.requests[0]!, { method: 'POST', bodyBase64: 'aGVsbG8K' });
  const half = list.length / 2;
  const shards = [list.slice(0, half), list.slice(half)].map((seconds, i) => ({
    worker: `w${i}`,
    connections: 2 - i,
    planned: half,
    seconds: [seconds],
    endUs: 800_000,
  }));
  return formatAb(await buildReport([runRecord([plan]), ...trialRecords(plan, shards), runEnded()]));
}

const badLength: Partial<Sample> = { error: { class: 'length', message: 'the body has 50 bytes', atUs: 1 } };

const cases: [recording: string, what: string, text: () => Promise<string>][] = [
  ['keepalive', 'ab -k', () => ours(samples(100, 3), { keepAlive: true })],
  ['post', 'ab -p, answered with 500', () => ours(samples(100, 100, 1, { status: 500 }), { post: true })],
  ['length', 'replies of another length', () => ours([...samples(50, 50), ...samples(50, 50, 1, badLength)])],
];

describe('line by line, numbers aside, ours is what ab printed', () => {
  for (const [recording, what, text] of cases) {
    test(what, async () => assert.deepEqual(shape(await text()), shape(recorded(recording))));
  }

  /** From the first label on; every number and every value that is the target's replaced. */
  function shape(text: string): string[] {
    return text
      .slice(text.indexOf('Server Software:'))
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^(Server Software|Server Hostname|Document Path):.*/, '$1:'))
      .map((line) => line.replace(/\d+%/, 'percent').replace(/ *\d+(\.\d+)?/g, ' #'));
  }
});

describe('a script that reads ab reads ours', () => {
  for (const [recording, what, text] of cases) {
    test(what, async () => {
      for (const name in READERS) {
        read(recorded(recording), name);
        read(await text(), name);
      }
    });
  }

  test('and finds the numbers of the run', async () => {
    const text = formatAb(await buildReport(closedRun()));
    const found = Object.keys(READERS).map((name) => [name, read(text, name)]);
    assert.deepEqual(Object.fromEntries(found), {
      server: '',
      host: '10.0.0.5',
      port: '8080',
      path: '/4k.bin?x=1',
      concurrency: '3',
      seconds: '2.346',
      complete: '300',
      failed: '3',
      transferred: '1288089',
      html: '1216512',
      requestsPerSecond: (300 / 2.345678).toFixed(2),
      timePerRequest: ((3 * 2345.678) / 300).toFixed(3),
      timeAcross: (2345.678 / 300).toFixed(3),
      transferRate: (1288089 / 1024 / 2.345678).toFixed(2),
      connect: '0',
      processing: '1',
      waiting: '1',
      total: '1',
      p50: '3',
      p99: '5',
      longest: '20',
    });
  });
});

describe('meanings', () => {
  const rows: [why: string, text: () => Promise<string>, expected: RegExp][] = [
    [
      'failures are broken down as ab does',
      cases[2]![2],
      /^ {3}\(Connect: 0, Receive: 0, Length: 50, Exceptions: 0\)$/m,
    ],
    ['with -k, all that stayed open are counted', cases[0]![2], /^Keep-Alive requests: {4}100$/m],
    ['replies other than 2xx are counted', cases[1]![2], /^Non-2xx responses: {6}100$/m],
    ['the body sent counts whole requests', cases[1]![2], /^Total body sent: {8}10000$/m],
    ['the length is said when all have the same', cases[0]![2], /^Document Length: {8}4096 bytes$/m],
    [
      'and is said to vary when they have not',
      () => ours([...samples(3, 3), ...samples(1, 1, 1, { body: 5 })]),
      /^Document Length: {8}Variable$/m,
    ],
    ['a new connection for each request has a connect time', cases[2]![2], /^Connect: {8}0 {4}0 {3}0\.0/m],
  ];
  for (const [why, text, expected] of rows) test(why, async () => assert.match(await text(), expected));

  test('in every row min ≤ median ≤ max, Waiting ≤ Processing ≤ Total, and percentages rise', async () => {
    for (const [, , text] of cases) {
      const printed = await text();
      for (const name of ['connect', 'processing', 'waiting', 'total']) {
        const [, min, , , median, max] = READERS[name]!.exec(printed)!.map(Number);
        assert.ok(min! <= median! && median! <= max!, name);
      }
      const [waiting, processing, total] = ['waiting', 'processing', 'total'].map((name) =>
        READERS[name]!.exec(printed)!.map(Number),
      );
      for (const column of [1, 2, 4, 5]) {
        assert.ok(waiting![column]! <= processing![column]! && processing![column]! <= total![column]!);
      }
      const percentages = [...printed.matchAll(/^ +\d+% +(\d+)/gm)].map((match) => Number(match[1]));
      assert.equal(percentages.length, 9);
      assert.deepEqual(
        percentages,
        [...percentages].sort((a, b) => a - b),
      );
    }
  });

  const names: [header: string | undefined, printed: string][] = [
    ['nginx/1.22.1', 'nginx/1.22.1'],
    ['Apache/2.4.62 (Debian) mod_jk/1.2.48', 'Apache/2.4.62'],
    [undefined, ''],
  ];
  for (const [server, expected] of names) {
    test(`a server that names itself ${server ?? 'nothing'} is ${expected || 'empty'}, as in ab`, async () => {
      const records = closedRun().map((record) =>
        record.type === 'shard-done' && server !== undefined ? { ...record, server } : record,
      );
      assert.equal(read(formatAb(await buildReport(records)), 'server'), expected);
    });
  }

  test('a slow connect counts as Connect, and what is left as Processing and Waiting', async () => {
    const slow = samples(10, 10).map((sample) => ({
      ...sample,
      latencyUs: 80_000,
      connectUs: 50_000,
      firstByteUs: 70_000,
    }));
    const printed = await ours(slow);
    assert.match(printed, /^Connect: {7}50 {3}50 {3}0\.0 {5}50 {6}50$/m);
    assert.match(printed, /^Waiting: {7}20 {3}20 {3}0\.0 {5}20 {6}20$/m);
    assert.match(printed, /^Processing: {4}30 {3}30 {3}0\.0 {5}30 {6}30$/m);
  });
});

test('several trials are several blocks, each under a comment line', async () => {
  const text = formatAb(await buildReport(sweepRun()));
  assert.equal(text.match(/^Complete requests:/gm)?.length, 20);
  assert.equal(
    text.match(/^# target=(httpd|nio) size=(4|64)KiB, round [1-5]: (completed|dnf)$/gm)?.length,
    20,
  );
});
