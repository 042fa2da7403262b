/**
 * What limited a trial: the rules, in the order in which they are asked. The first that finds evidence decides. What the
 * generator did to itself comes before everything that may be said of a target; a link that is full comes before a busy
 * generator, because a generator with more to give could not send more over it. Pure.
 */
import type { Verdict } from '../schema.ts';
import type { Evidence, Found } from './evidence.ts';
import {
  busyGenerator,
  ownFailures,
  reachedCap,
  reachedCapacity,
  scriptHeldUp,
  sentLate,
} from './generator.ts';
import { busyCore, failingTarget, slowTarget } from './inferred-target.ts';
import { fullLink, lossyNetwork, lostOrRefused } from './network.ts';
import { askedRateReached, mostlyPausing } from './none.ts';
import { observedTarget } from './observed-target.ts';
import { undecided } from './undecided.ts';

type Rule = (trial: Evidence) => Found | undefined;

const RULES: readonly (readonly [Verdict['limit'], Rule])[] = [
  ['generator', ownFailures],
  ['generator', reachedCap],
  ['generator', sentLate],
  ['network', fullLink],
  ['generator', busyGenerator],
  ['generator', reachedCapacity],
  ['generator', scriptHeldUp],
  ['target', observedTarget],
  ['undecided', lostOrRefused],
  ['network', lossyNetwork],
  ['none', askedRateReached],
  ['none', mostlyPausing],
  ['target', busyCore],
  ['target', failingTarget],
  ['target', slowTarget],
];

export function verdictOf(trial: Evidence): Verdict {
  for (const [limit, rule] of RULES) {
    const found = rule(trial);
    if (found === undefined) continue;
    const { evidence, advice, inferred } = found;
    return { limit, ...(inferred && { inferred }), evidence, ...(advice !== '' && { advice }) };
  }
  return undecided(trial);
}
