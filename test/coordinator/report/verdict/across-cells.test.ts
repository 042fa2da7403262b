import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportTrial } from '../../../../coordinator/report/schema.ts';
import { judgeAcrossCells } from '../../../../coordinator/report/verdict/across-cells.ts';
import { type Change, CLOSED, closed, thread, times, wire, worker } from './evidence-fixture.ts';

const ROOMY = wire({ share: 0.3 });

/** An undecided trial of a sweep over connections, as the report has it. */
function trial(
  connections: number,
  ratePerS: number,
  p50Us: number,
  more: Change & Partial<ReportTrial> = {},
) {
  const { summary, cell = { connections }, ...rest } = more;
  const evidence = closed({
    load: { ...CLOSED, connections },
    wire: ROOMY,
    summary: { requestRate: ratePerS, latency: times(p50Us), firstByte: times(p50Us * 0.95), ...summary },
  });
  return {
    ...evidence,
    ...{ cell, round: 1, state: 'completed', target: { name: 'it', url: 'http://it' }, requests: [] },
    verdict: { limit: 'undecided', evidence: ['nobody watched the target'] },
    ...rest,
  } as unknown as ReportTrial;
}

const limitsOf = (trials: ReportTrial[]): string[] =>
  judgeAcrossCells(trials).map(({ verdict }) => verdict.limit);

describe('what a sweep over connections tells', () => {
  const few = trial(10, 500, 20_000);
  const many = trial(40, 510, 78_000);

  test('the rate stays and the latency grows with the connections: the target, inferred', () => {
    const [first, second] = judgeAcrossCells([few, many]);
    assert.equal(first!.verdict.limit, 'undecided', 'fewer connections might still bring as much');
    const { limit, inferred, evidence, advice } = second!.verdict;
    assert.deepEqual([limit, inferred], ['target', true]);
    assert.match(
      evidence[0]!,
      /4\.0 times the connections \(40, not 10\) the rate is 102 % of that one's, bound 105 %/,
    );
    assert.match(evidence[0]!, /median latency grew from 20\.0 ms to 78\.0 ms$/);
    assert.match(evidence[1]!, /the generator had room/);
    assert.match(advice!, /worker observe/);
  });

  const rows: [that: string, ...trials: ReportTrial[]][] = [
    ['the rate grows, too', few, trial(40, 900, 78_000)],
    ['the latency does not', few, trial(40, 500, 30_000)],
    ['there are hardly more connections', few, trial(15, 500, 30_000)],
    ['another round', few, trial(40, 500, 80_000, { round: 2 })],
    ['other replies', few, trial(40, 500, 80_000, { cell: { connections: 40, size: '1MiB' } })],
    ['another target', few, trial(40, 500, 80_000, { target: { name: 'b', url: 'http://b' } as never })],
    [
      'new connections for each request',
      few,
      trial(40, 500, 80_000, { load: { ...CLOSED, connections: 40, keepAlive: false } }),
    ],
    ['a busy generator', few, trial(40, 500, 80_000, { workers: [worker({ threadLoads: [thread(0.9)] })] })],
    [
      'a generator that was busy before',
      trial(10, 500, 20_000, { workers: [worker({ threadLoads: [thread(0.9)] })] }),
      many,
    ],
    ['a link that is nearly full', few, trial(40, 500, 80_000, { wire: wire({ share: 0.9 }) })],
    ['links of unknown speed', few, trial(40, 500, 80_000, { wire: undefined })],
    [
      'a link with room beside one whose speed nobody knows',
      few,
      trial(40, 500, 80_000, { wire: wire({ share: 0.3 }, {}) }),
    ],
    [
      'replies that take their time to come over, as behind a slow link in between',
      few,
      trial(40, 500, 80_000, { summary: { firstByte: times(20_000) } as never }),
    ],
    ['one that did not finish', trial(10, 500, 20_000, { state: 'dnf' }), many],
    ['nothing to hold it against', many],
  ];
  for (const [that, ...trials] of rows) {
    test(`not told by: ${that}`, () => assert.ok(limitsOf(trials).every((limit) => limit === 'undecided')));
  }

  test('what was decided stays as it is', () => {
    const decided = { ...many, verdict: { limit: 'none', evidence: ['met'] } } as ReportTrial;
    assert.equal(judgeAcrossCells([few, decided])[1], decided);
  });
});
