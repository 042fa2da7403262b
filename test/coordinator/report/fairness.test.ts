import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportTrial } from '../../../coordinator/report/schema.ts';
import { fairnessFacts } from '../../../coordinator/report/trial-facts.ts';

function factsOf(requests: number, shares: [share: number, expectedShare: number][], lost = false): string[] {
  const workers = shares.map(([share, expectedShare], i) => ({
    name: `w${i + 1}`,
    share,
    expectedShare,
    requestRate: requests * share,
    ...(lost && { lost: { atUs: 1, reason: 'gone' } }),
  }));
  const trial = { workers, summary: { requests } } as unknown as ReportTrial;
  return fairnessFacts(trial).map(([label, text]) => `${label}: ${text}`);
}

describe('who carried less than it should', () => {
  const rows: [that: string, facts: string[], expected: RegExp | undefined][] = [
    [
      'nobody where all did',
      factsOf(10_000, [
        [0.49, 0.5],
        [0.51, 0.5],
      ]),
      undefined,
    ],
    [
      'an eighth less is chance',
      factsOf(10_000, [
        [0.44, 0.5],
        [0.56, 0.5],
      ]),
      undefined,
    ],
    [
      'one that carried three quarters of its share',
      factsOf(10_000, [
        [0.375, 0.5],
        [0.625, 0.5],
      ]),
      /^Uneven: w1 carried 37\.5 % of the requests \(3750\.00\/s\), by its load it should be 50\.0 %$/,
    ],
    [
      'its share is by its load',
      factsOf(10_000, [
        [0.25, 0.25],
        [0.75, 0.75],
      ]),
      undefined,
    ],
    [
      'few requests say nothing',
      factsOf(100, [
        [0.2, 0.5],
        [0.8, 0.5],
      ]),
      undefined,
    ],
    [
      'that a lost one carried less is known',
      factsOf(
        10_000,
        [
          [0.1, 0.5],
          [0.9, 0.5],
        ],
        true,
      ),
      undefined,
    ],
  ];
  for (const [that, facts, expected] of rows) {
    test(that, () => {
      if (expected === undefined) assert.deepEqual(facts, []);
      else assert.match(facts.join('\n'), expected);
    });
  }
});
