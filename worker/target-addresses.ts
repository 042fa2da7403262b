/**
 * The target's name, resolved and checked against what this worker may load (DESIGN rule 10). The check is on the
 * addresses, after DNS, and the engine connects to exactly the addresses that passed: a name cannot be pointed
 * elsewhere in between.
 */
import { lookup } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import type { AllowList } from '../shared/domain/allow-list.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { ErrorClass } from '../shared/metrics/error-class.ts';

/** Nothing can be connected to; `errorClass` is what requests fail with because of it. */
export class AddressError extends BroadsideError {
  readonly errorClass: Extract<ErrorClass, 'dns' | 'not-allowed'>;

  constructor(
    errorClass: 'dns' | 'not-allowed',
    message: string,
    options: { hint?: string; cause?: unknown },
  ) {
    super('RUN_FAILED', message, options);
    this.errorClass = errorClass;
  }
}

export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/**
 * All addresses of the URL's host, by the system's resolver: the IPv4 ones, or the IPv6 ones where there are no
 * others. A mixture would compare two networks with each other, and `localhost` is ::1 as well, where most servers
 * under test do not listen; to load a target over IPv6, name it by its address or by a name that has no other.
 * @throws AddressError when the name does not resolve, or an address of it is not allowed
 */
export async function resolveTarget(url: string, allowList: AllowList): Promise<string[]> {
  const host = hostOf(url);
  const found = isIP(host) === 0 ? await lookUp(host) : [host];
  const preferred = found.filter((address) => isIPv4(address));
  const addresses = [...new Set(preferred.length > 0 ? preferred : found)];
  const refused = addresses.find((address) => !allowList.allows(host, address));
  if (refused !== undefined) {
    throw new AddressError(
      'not-allowed',
      `not allowed: this worker loads only ${allowList.describe()}, and ${host} is at ${refused}`,
      { hint: `start the worker with --allow ${host} if the target is yours` },
    );
  }
  return addresses;
}

async function lookUp(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw new AddressError('dns', `the target's name ${host} does not resolve here: ${messageOf(cause)}`, {
      cause,
    });
  }
}
