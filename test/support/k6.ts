/** A k6 binary for the tests that need one: `$K6_BIN`, else `k6` in the PATH. */
import { findK6 } from '../../shared/k6-binary.ts';

/** Absent where there is none. */
export const K6_BINARY: string | undefined = (await findK6({ warn: () => {} }).catch(() => undefined))?.path;

/** For `skip`: the reason, or false where there is a binary. */
export const WITHOUT_K6: string | false =
  K6_BINARY === undefined ? 'there is no k6 binary: name one with K6_BIN, or have k6 in the PATH' : false;
