/**
 * The addresses of this machine that its connections come from. One address has some 28,000 ephemeral ports; several
 * have as many each. Node binds a socket to its address before the connect, and has no way to say
 * IP_BIND_ADDRESS_NO_PORT, so that the system picks the port without knowing the destination: a port of one of these
 * addresses serves one connection at a time, whatever it goes to.
 */
import { once } from 'node:events';
import { createServer, isIP } from 'node:net';
import { BroadsideError, messageOf } from './errors.ts';

/** `10.0.0.7,10.0.0.8`, as both commands take it, after those given before. */
export function addLocalAddresses(list: string, before: readonly string[]): string[] {
  return [...before, ...list.split(',').map((address) => address.trim())];
}

/**
 * Checks that each can be bound here.
 * @throws BroadsideError USAGE naming the first that cannot
 */
export async function checkLocalAddresses(addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    if (isIP(address) === 0)
      throw refused(address, 'is not an address', 'Give addresses such as 10.0.0.7,10.0.0.8.');
    const server = createServer();
    try {
      server.listen(0, address);
      await once(server, 'listening');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EADDRNOTAVAIL') throw refused(address, messageOf(error));
      throw refused(
        address,
        'this machine does not have it',
        `Add it first, for example: ip address add ${address}/${address.includes(':') ? 64 : 24} dev eth0`,
      );
    } finally {
      server.close();
    }
  }
}

function refused(address: string, problem: string, hint?: string): BroadsideError {
  return new BroadsideError(
    'USAGE',
    `--local-address ${address}: ${problem}`,
    hint === undefined ? {} : { hint },
  );
}
