import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finishedTrials } from '../../../coordinator/resume.ts';
import { estimateScenario, estimateText } from '../../../shared/domain/estimate.ts';
import { heaviestTrials, planTrials, searchesOf } from '../../../shared/domain/plan-trials.ts';
import { parseScenario } from '../../../shared/domain/scenario-source.ts';
import type { SearchSpec } from '../../../shared/domain/search.ts';

const UNTIL = 'until: "p(99) < 200ms and errors < 0.1%"';
const scenario = (load: string, more = '') =>
  parseScenario(`targets: { web: "http://127.0.0.1:8080" }\nload: { ${load} }\n${more}`, 's.yaml');
const search = (keys: string, load = 'duration: 10s') => `${load}, search: { ${UNTIL}, ${keys} }`;

const SPECS: [sentence: string, load: string, spec: Partial<SearchSpec>][] = [
  [
    'over connections: from 1 by 1, unless told, and within 5 %',
    search('over: connections, to: 64'),
    {
      maximize: 'requestRate',
      over: 'connections',
      from: 1,
      to: 64,
      step: 1,
      tolerance: 0.05,
      until: ['p(99) < 200ms', 'errors < 0.1%'],
    },
  ],
  [
    'with everything given',
    search(
      'maximize: requestRate, over: connections, from: 10, to: 200, step: 10, tolerance: 0.1',
      'executor: constant-connections, keepAlive: false, duration: 10s',
    ),
    { from: 10, to: 200, step: 10, tolerance: 0.1 },
  ],
  ['over a rate: about 50 steps, rounded', search('over: rate, from: 100/s, to: 1000/s'), { step: 10 }],
  ['a rate as a number, steps below 1', search('over: rate, from: 1, to: 11'), { from: 1, step: 0.2 }],
];

const REFUSED: [sentence: string, load: string, message: RegExp, more?: string][] = [
  [
    'no until',
    'duration: 1s, search: { over: rate, from: 1, to: 9 }',
    /load\.search\.until is missing; expected conditions such as "p\(99\)/,
  ],
  [
    'an until that does not parse',
    'duration: 1s, search: { over: rate, from: 1, to: 9, until: "p(99) < 2 and fast" }',
    /load\.search\.until: threshold "p\(99\) < 2" does not parse/,
  ],
  [
    'from that is to',
    search('over: rate, from: 100, to: 100'),
    /load\.search\.from: 100 is not below "to", which is 100/,
  ],
  [
    'from above to',
    search('over: connections, from: 9, to: 8'),
    /load\.search\.from: 9 is not below "to", which is 8/,
  ],
  [
    'a step beyond the range',
    search('over: connections, to: 8, step: 8'),
    /load\.search\.step: 8 leads from 1 beyond 8 at once/,
  ],
  [
    'too many steps',
    search('over: rate, from: 1, to: 1000, step: 0.001'),
    /load\.search\.step: 999001 values/,
  ],
  [
    'connections of an open loop',
    search('over: connections, to: 8', 'executor: constant-arrival-rate, duration: 1s'),
    /load\.executor: a search over connections has executor: constant-connections, not constant-arrival-rate/,
  ],
  [
    'a rate of a closed loop',
    search('over: rate, from: 1, to: 8', 'executor: ramping-connections, duration: 1s'),
    /load\.executor: a search over rate has executor: constant-arrival-rate/,
  ],
  [
    'what is searched is given',
    search('over: connections, to: 8', 'connections: 4, duration: 1s'),
    /load\.connections: is what the search is to find/,
  ],
  ['over what cannot be searched', search('over: size, to: 8'), /load\.search\.over: "size" is not known/],
  [
    'to maximize something else',
    search('maximize: transferRate, over: connections, to: 8'),
    /load\.search\.maximize: "transferRate" is not/,
  ],
  [
    'a duration of its own',
    search('over: connections, to: 8, duration: 3s'),
    /load\.search: unknown key "duration" here; each trial lasts as long as "duration" of load says/,
  ],
  [
    'no end of a trial',
    search('over: connections, to: 8', 'keepAlive: true'),
    /load: neither "duration" nor "requests"/,
  ],
  ['no bound', search('over: connections'), /load\.search\.to is missing/],
  ['no mapping', 'duration: 1s, search: 8', /load\.search: 8 is not a mapping such as/],
  [
    'rounds',
    search('over: connections, to: 8'),
    /rounds: a search repeats its trials by itself/,
    'rounds: 3',
  ],
  [
    'an order',
    search('over: connections, to: 8'),
    /order: a search goes from cell to cell/,
    'order: shuffled',
  ],
  [
    'thresholds',
    search('over: connections, to: 8'),
    /thresholds: a search has trials that are meant to break them/,
    'thresholds: ["errors < 1%"]',
  ],
  [
    'an axis of what is searched',
    search('over: connections, to: 8'),
    /sweep\.connections: is what the search is to find/,
    'sweep: { connections: [1, 2] }\nrequest: { path: "/${connections}" }',
  ],
  [
    'a script',
    search('over: connections, to: 8'),
    /load: with engine: k6 a script has its own load/,
    'engine: k6\nk6: { script: a.js }',
  ],
  [
    'a script in some cells',
    search('over: connections, to: 8'),
    /load\.search: a k6 script has its own load, in which nothing can be searched/,
    'sweep: { engine: [http, k6] }\nk6: { script: a.js }',
  ],
  [
    'a metric of scripts',
    'duration: 1s, search: { over: connections, to: 8, until: "checks > 99%" }',
    /is a metric of k6 scripts/,
  ],
];

describe('load.search', () => {
  for (const [sentence, load, spec] of SPECS) {
    test(sentence, () => {
      const [found] = searchesOf(scenario(load));
      assert.deepEqual({ ...found!.spec, ...spec }, found!.spec);
    });
  }

  for (const [sentence, load, message, more] of REFUSED) {
    test(`refused: ${sentence}`, () => assert.throws(() => scenario(load, more), message));
  }

  test('one search a cell of the sweep; each begins with a trial at "from", in a cell that says so', () => {
    const swept = scenario(
      search('over: rate, from: 50, to: "${most}"', 'duration: 2s, maxConnections: 9'),
      'sweep: { most: [100, 400] }\nwarmup: { duration: 1s }\ncooldown: 1s',
    );
    assert.deepEqual(
      searchesOf(swept).map(({ cell, spec }) => [cell.most, spec.to, spec.step]),
      [
        [100, 100, 1],
        [400, 400, 5],
      ],
    );
    const plans = planTrials(swept);
    assert.deepEqual(
      plans.map(({ cell }) => cell),
      [
        { most: 100, rate: 50 },
        { most: 400, rate: 50 },
      ],
    );
    assert.equal('rate' in plans[0]!.load && plans[0]!.load.rate, 50);
    assert.deepEqual(
      heaviestTrials(swept).map(({ load }) => 'rate' in load && load.rate),
      [100, 400],
    );
    assert.match(
      estimateText(estimateScenario(swept, plans)),
      /^at most \d+ trials, about 3\.00 s each, about /,
    );
  });

  test('is not resumed', async () => {
    async function* none() {}
    await assert.rejects(
      finishedTrials(none(), 'r1', scenario(search('over: connections, to: 8'))),
      /--resume r1: a search decides each trial by the one before/,
    );
  });
});
