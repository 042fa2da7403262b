/** The bytes of a TCP connection that TLS goes over. */
import type { TLSSocket } from 'node:tls';

/** A `Socket`, or the handle in it. */
export interface Wire {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/**
 * Of a TLS socket that made its TCP connection itself. Its own `bytesRead` and `bytesWritten` are of what was decrypted
 * and is to be encrypted; those of the wire are counted by the TCP handle beneath, which Node does not document.
 * @returns undefined where it is not to be found
 */
export function wireOf(socket: TLSSocket): Wire | undefined {
  const { _handle: handle } = socket as unknown as { _handle?: { _parent?: Partial<Wire> | null } | null };
  const { bytesRead, bytesWritten } = handle?._parent ?? {};
  if (typeof bytesRead !== 'number' || typeof bytesWritten !== 'number') return undefined;
  return handle?._parent as Wire;
}
