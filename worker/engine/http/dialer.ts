/**
 * What the connections of an engine share to get to their target: which address each goes to and comes from, and for
 * https the certificates and the sessions that can be taken up again.
 */
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Clock } from '../../../shared/clock.ts';
import type { TlsPlan } from '../../../shared/domain/transport.ts';
import { BroadsideError, messageOf } from '../../../shared/errors.ts';
import type { EngineOptions, SampleSink } from '../engine.ts';
import type { Endpoint } from './endpoint.ts';

export interface Secure {
  readonly context: SecureContext;
  /** For SNI; undefined for a literal address, which it cannot carry (RFC 6066, 3). */
  readonly serverName: string | undefined;
  /** What the certificate has to be for. */
  readonly host: string;
  readonly verify: boolean;
  /** The last session of each address; undefined when none is to be taken up. */
  readonly sessions: Map<string, Buffer> | undefined;
}

export class Dialer {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly sink: SampleSink;
  /** Every socket reads into it; what is read is used up before the next read. */
  readonly buffer: Uint8Array;
  readonly secure: Secure | undefined;
  /** With `dns: per-connection`. */
  readonly lookup: (() => Promise<string[]>) | undefined;
  private readonly addresses: readonly string[];
  private readonly localAddresses: readonly string[];
  private turn: number;
  private localTurn = 0;
  private loopTurns = 0;
  private loopTurnSeen = false;

  /** @throws BroadsideError USAGE for certificates that OpenSSL refuses, or when no local address is of the target's family */
  constructor(endpoint: Endpoint, options: EngineOptions, buffer: Uint8Array) {
    const { addresses, localAddresses = [], lookup, startAt, clock, sink } = options;
    this.endpoint = endpoint;
    this.clock = clock;
    this.sink = sink;
    this.buffer = buffer;
    this.addresses = addresses;
    this.localAddresses = localAddresses;
    this.lookup = isIP(endpoint.host) === 0 ? lookup : undefined;
    this.turn = startAt;
    if (endpoint.secure) this.secure = openSecure(endpoint, options.tls ?? { insecure: false, resume: true });
    this.nextLocal(addresses[0]!);
    this.localTurn = startAt;
  }

  /** Where the next connection goes: the addresses take turns. */
  next(): string {
    return this.addresses[this.turn++ % this.addresses.length]!;
  }

  /** Where a connection to `address` comes from; undefined leaves it to the system. */
  nextLocal(address: string): string | undefined {
    const { localAddresses } = this;
    if (localAddresses.length === 0) return undefined;
    const family = isIP(address);
    for (let i = 0; i < localAddresses.length; i++) {
      const local = localAddresses[this.localTurn++ % localAddresses.length]!;
      if (isIP(local) === family) return local;
    }
    const message = `none of this worker's local addresses (${localAddresses.join(', ')}) is IPv${family}, as ${address} is`;
    const hint = 'start the worker with a --local-address of that family, or without';
    throw Object.assign(new BroadsideError('USAGE', message, { hint }), { errorClass: 'local-ports' });
  }

  /** Numbers the turns of the event loop in which it is called. */
  loopTurn(): number {
    if (!this.loopTurnSeen) {
      this.loopTurnSeen = true;
      setImmediate(() => {
        this.loopTurnSeen = false;
        this.loopTurns++;
      });
    }
    return this.loopTurns;
  }
}

function openSecure({ host }: Endpoint, plan: TlsPlan): Secure {
  const { insecure, ca, cert, key, serverName, resume } = plan;
  const name = serverName ?? host;
  try {
    return {
      context: createSecureContext({ ca, cert, key }),
      serverName: isIP(name) === 0 ? name : undefined,
      host: name,
      verify: !insecure,
      sessions: resume ? new Map() : undefined,
    };
  } catch (error) {
    throw new BroadsideError('USAGE', `tls: ${messageOf(error)}`, { cause: error });
  }
}
