/** Where an engine connects to: one of the target's addresses, so that no connection ever waits for DNS. */
import { isIPv4 } from 'node:net';
import { BroadsideError } from '../../../shared/errors.ts';

export interface Endpoint {
  /** What every connection goes to; numeric. */
  address: string;
  port: number;
  /** For messages: `host:port` as the user wrote it. */
  name: string;
}

/**
 * The first IPv4 address, if there is one: `localhost` is ::1 as well, where most servers under test do not listen.
 * @param addresses what the URL's host resolved to; at least one
 * @throws BroadsideError USAGE for a URL that this engine cannot drive
 */
export function endpointOf(url: string, addresses: readonly string[]): Endpoint {
  const { hostname, port: explicit, origin } = parseUrl(url);
  const port = explicit === '' ? 80 : Number(explicit);
  if (port === 0) {
    throw new BroadsideError('USAGE', `nothing can listen on port 0: ${origin}`, {
      hint: 'Give the port of the target.',
    });
  }
  const address = addresses.find((candidate) => isIPv4(candidate)) ?? addresses[0]!;
  return { address, port, name: `${hostname}:${port}` };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:') {
    throw new BroadsideError('USAGE', `https is not supported yet: ${url.origin}`, {
      hint: 'Use an http:// URL.',
    });
  }
  if (url?.protocol !== 'http:') {
    throw new BroadsideError('USAGE', `not an http:// URL: ${JSON.stringify(text)}`, {
      hint: 'Write it as http://host:port/path.',
    });
  }
  return url;
}
