import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ErrorClass } from '../../shared/metrics/error-class.ts';
import { addCounts, emptyCounts } from '../../shared/metrics/interval.ts';
import { Recorder, type ThreadInterval } from '../../worker/recorder.ts';

const START_US = 1_000_000_000;

interface Request {
  sentUs: number;
  tookUs: number;
  status: number;
  errorClass?: ErrorClass;
  /** Still under way when the load ends. */
  unfinished?: boolean;
}

const request: fc.Arbitrary<Request> = fc.record(
  {
    sentUs: fc.integer({ min: 0, max: 5_000_000 }),
    tookUs: fc.integer({ min: 0, max: 3_000_000 }),
    status: fc.constantFrom(200, 404, 503),
    errorClass: fc.constantFrom<ErrorClass>('reset', 'timeout', 'status'),
    unfinished: fc.boolean(),
  },
  { requiredKeys: ['sentUs', 'tookUs', 'status'] },
);

function newRecorder(openLoop = false): { recorder: Recorder; intervals: ThreadInterval[] } {
  const intervals: ThreadInterval[] = [];
  const recorder = new Recorder({
    openLoop,
    requestNames: ['GET /'],
    onInterval: (interval) => intervals.push(interval),
  });
  recorder.begin(START_US);
  return { recorder, intervals };
}

/** Everything that happens, in the order of time. */
function play(recorder: Recorder, requests: readonly Request[]): void {
  const events = requests.flatMap(({ sentUs, tookUs, status, errorClass, unfinished }) => {
    const sent = START_US + sentUs;
    const end = sent + tookUs;
    const finish = (): void => {
      recorder.received(100);
      recorder.body(50);
      if (errorClass === undefined)
        recorder.completed(0, status, sent, sent, sent + Math.floor(tookUs / 2), end);
      else recorder.failed(0, errorClass, 'why', end, errorClass === 'status' ? status : undefined);
    };
    const start = { atUs: sent, run: () => recorder.started(0, sent, false) };
    return unfinished ? [start] : [start, { atUs: end, run: finish }];
  });
  events.sort((a, b) => a.atUs - b.atUs);
  for (const { run } of events) run();
}

describe('Recorder', () => {
  test('the intervals sum to the totals, and each sample is in the second in which it finished', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
        const { recorder, intervals } = newRecorder();
        play(recorder, requests);
        const totals = recorder.end();
        const sum = emptyCounts();
        for (const interval of intervals) addCounts(sum, interval);
        const { started, completed, failed, dropped } = sum;
        assert.deepEqual(
          { started, completed, failed, dropped },
          {
            started: totals.started,
            completed: totals.completed,
            failed: totals.failed,
            dropped: totals.dropped,
          },
        );
        assert.equal(totals.started, requests.length);
        assert.deepEqual(
          intervals.map(({ second }) => second),
          intervals.map((_, second) => second),
          'no second is left out or given twice',
        );
        const finished = requests.filter(({ unfinished }) => !unfinished);
        for (const { second, ...interval } of intervals) {
          const here = finished.filter(
            ({ sentUs, tookUs }) => Math.floor((sentUs + tookUs) / 1e6) === second,
          );
          const good = here.filter(({ errorClass }) => errorClass === undefined);
          assert.deepEqual([interval.completed, interval.failed], [good.length, here.length - good.length]);
          assert.equal(interval.phases.latency?.count ?? 0, good.length);
          const replies = here.filter(
            ({ errorClass }) => errorClass === undefined || errorClass === 'status',
          );
          assert.equal(
            Object.values(interval.status).reduce((a, b) => a + b, 0),
            replies.length,
          );
          assert.equal(
            Object.values(interval.errors).reduce((a, b) => a + b, 0),
            interval.failed,
          );
        }
        if (requests.length > 0)
          assert.equal(totals.firstRequestUs, Math.min(...requests.map(({ sentUs }) => sentUs)));
      }),
    );
  });

  test('seconds without a sample are handed on too, by time alone', () => {
    const { recorder, intervals } = newRecorder();
    recorder.started(0, START_US + 10, false);
    recorder.closeSecondsUntil(START_US + 3_500_000);
    assert.deepEqual(
      intervals.map(({ second, started, inFlight }) => [second, started, inFlight]),
      [
        [0, 1, 1],
        [1, 0, 1],
        [2, 0, 1],
      ],
    );
  });

  test('what ends exactly with a second belongs to the next one', () => {
    const { recorder, intervals } = newRecorder();
    recorder.started(0, START_US, false);
    recorder.completed(0, 200, START_US, START_US, START_US, START_US + 1_000_000);
    recorder.end();
    assert.deepEqual(
      intervals.map(({ completed }) => completed),
      [0, 1],
    );
  });

  test('connections count by address, handshakes by whether they took up a session', () => {
    const { recorder, intervals } = newRecorder();
    recorder.begin(START_US);
    recorder.started(0, START_US + 10, false);
    for (const address of ['10.0.0.5', '10.0.0.6', '10.0.0.5']) recorder.connected(200, address);
    recorder.secured(5_000, 5_200, false);
    recorder.secured(1_000, 1_200, true);
    recorder.decrypted(40);
    recorder.decrypted(2);
    recorder.end();
    const { byAddress, connectionsOpened, tlsSessionsReused, bytesDecrypted, phases } = intervals[0]!;
    assert.deepEqual(byAddress, { '10.0.0.5': 2, '10.0.0.6': 1 });
    assert.deepEqual([connectionsOpened, tlsSessionsReused, bytesDecrypted], [3, 1, 42]);
    assert.deepEqual([phases.connect?.count, phases.tls?.count, phases.tls?.max], [3, 2, 5_000]);
    assert.deepEqual([phases.secureConnect?.count, phases.secureConnect?.max], [2, 5_200]);
  });

  test('the warm-up is in no number', () => {
    const { recorder, intervals } = newRecorder();
    recorder.started(0, START_US, false);
    recorder.failed(0, 'reset', 'warm', START_US + 5);
    recorder.dropped(3);
    recorder.received(7);
    recorder.begin(START_US + 500_000);
    recorder.started(0, START_US + 600_000, true);
    recorder.failed(0, 'reset', 'measured', START_US + 700_000);
    const totals = recorder.end();
    assert.deepEqual(totals, { started: 1, completed: 0, failed: 1, dropped: 0, firstRequestUs: 100_000 });
    assert.equal(intervals.length, 1);
    const [{ bytesReceived, errors, firstErrors, connectionsReused }] = intervals as [ThreadInterval];
    assert.deepEqual([bytesReceived, errors, connectionsReused], [0, { reset: 1 }, 1]);
    assert.deepEqual(firstErrors, [{ class: 'reset', message: 'measured', atUs: 200_000 }]);
  });

  test('the first error of each class is kept with its time, the others are counted; long messages are cut', () => {
    const { recorder, intervals } = newRecorder();
    for (const [errorClass, message, atUs] of [
      ['timeout', 'first', 10],
      ['timeout', 'second', 20],
      ['reset', 'x'.repeat(10_000), 30],
      ['timeout', 'third', 1_500_000],
    ] as const) {
      recorder.started(0, START_US, false);
      recorder.failed(0, errorClass, message, START_US + atUs);
    }
    recorder.end();
    assert.deepEqual(
      intervals.flatMap(({ firstErrors }) =>
        firstErrors.map(({ class: of, message, atUs }) => [of, message.length, atUs]),
      ),
      [
        ['timeout', 5, 10],
        ['reset', 300, 30],
      ],
    );
    assert.deepEqual(intervals[0]!.errors, { timeout: 2, reset: 1 });
  });

  test('open loop: latency from the intended start, service time from the send; closed loop: no service time', () => {
    for (const [openLoop, latencyUs, serviceUs] of [
      [true, 1_100, 100],
      [false, 100, undefined],
    ] as const) {
      const { recorder, intervals } = newRecorder(openLoop);
      recorder.started(0, START_US + 1_000, false);
      recorder.completed(0, 200, START_US, START_US + 1_000, START_US + 1_040, START_US + 1_100);
      recorder.end();
      const { latency, serviceTime, firstByte } = intervals[0]!.phases;
      assert.deepEqual([latency?.max, serviceTime?.max, firstByte?.max], [latencyUs, serviceUs, 40]);
    }
  });

  test('a load in which nothing happened hands nothing on', () => {
    const { recorder, intervals } = newRecorder();
    assert.deepEqual(recorder.end(), { started: 0, completed: 0, failed: 0, dropped: 0 });
    assert.deepEqual(intervals, []);
  });

  test('dropped arrivals and bytes of an unfinished reply are handed on at the end', () => {
    const { recorder, intervals } = newRecorder();
    recorder.dropped(4);
    recorder.received(7);
    assert.equal(recorder.end().dropped, 4);
    assert.deepEqual([intervals[0]!.dropped, intervals[0]!.bytesReceived], [4, 7]);
  });
});
