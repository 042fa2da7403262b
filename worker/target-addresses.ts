/**
 * The target's name, resolved once a shard and checked against what this worker may load (DESIGN rule 10). The check
 * is on the addresses, after DNS, and the engine connects to exactly the addresses that passed: a name cannot be
 * pointed elsewhere in between.
 */
import { lookup } from 'node:dns/promises';
import type { AllowList } from '../shared/domain/allow-list.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';

/** @throws BroadsideError RUN_FAILED when the name does not resolve, or an address of it is not allowed */
export async function resolveTarget(url: string, allowList: AllowList): Promise<string[]> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host, { all: true }).catch((cause) => {
    throw new BroadsideError(
      'RUN_FAILED',
      `the target's name ${host} does not resolve here: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  });
  const addresses = found.map(({ address }) => address);
  const refused = addresses.find((address) => !allowList.allows(host, address));
  if (refused !== undefined) {
    throw new BroadsideError(
      'RUN_FAILED',
      `not allowed: this worker loads only ${allowList.describe()}, and ${host} is at ${refused}`,
      { hint: `start the worker with --allow ${host} if the target is yours` },
    );
  }
  return addresses;
}
