/** The table of the conformance suite, by theme. */
import type { ConformanceCase } from './case.ts';
import { CHUNKED } from './cases/chunked.ts';
import { CLOSES_AND_RESETS } from './cases/closes-and-resets.ts';
import { CONNECTIONS } from './cases/connections.ts';
import { CONTINUES } from './cases/continue.ts';
import { ENTITIES } from './cases/entities.ts';
import { FRAMING } from './cases/framing.ts';
import { HEADS } from './cases/heads.ts';
import { REQUESTS } from './cases/requests.ts';
import { TIMEOUTS } from './cases/timeouts.ts';

export const CASES: readonly ConformanceCase[] = [
  ...FRAMING,
  ...HEADS,
  ...CHUNKED,
  ...CONNECTIONS,
  ...CLOSES_AND_RESETS,
  ...TIMEOUTS,
  ...REQUESTS,
  ...ENTITIES,
  ...CONTINUES,
];
