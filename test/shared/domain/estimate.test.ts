import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { estimateRun, estimateText } from '../../../shared/domain/estimate.ts';
import type { LoadPlan } from '../../../shared/domain/run.ts';

const LOAD: LoadPlan = { executor: 'constant-connections', connections: 1, keepAlive: true };
const lasting = (seconds: number, warmupSeconds = 0) => ({
  load: { ...LOAD, durationUs: seconds * 1e6 },
  warmupUs: warmupSeconds * 1e6,
});
const counted = { load: { ...LOAD, requests: 10 }, warmupUs: 0 };

const RUNS: [
  sentence: string,
  trials: Parameters<typeof estimateRun>[0],
  cooldownUs: number,
  text: string,
][] = [
  ['one', [lasting(10)], 2e6, '1 trial, about 10.0 s'],
  [
    'warm-up counts, a cool-down only between two',
    [lasting(8, 2), lasting(8, 2)],
    1e6,
    '2 trials, about 10.0 s each, about 21.0 s in all',
  ],
  ['unlike ones', [lasting(1), lasting(9)], 0, '2 trials, about 1.00 s to 9.00 s each, about 10.0 s in all'],
  ['one by requests', [counted], 0, '1 trial, as long as its requests take'],
  ['several by requests', [counted, counted], 1e6, '2 trials, as long as their requests take'],
  [
    'some by requests',
    [lasting(5), counted, lasting(5)],
    0,
    '3 trials, about 5.00 s each, about 10.0 s in all, and 1 as long as its requests take',
  ],
  [
    'a warm-up of requests is not counted',
    [{ ...lasting(5, 60), warmupRequests: 100 }],
    0,
    '1 trial, about 5.00 s',
  ],
];

describe('estimates', () => {
  for (const [sentence, trials, cooldownUs, text] of RUNS) {
    test(sentence, () => assert.equal(estimateText(estimateRun(trials, cooldownUs)), text));
  }
});
