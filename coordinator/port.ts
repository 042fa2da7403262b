/** The coordinator's one port. It is opened first, with nothing but node:http, so that workers can dial while the rest loads. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { BroadsideError } from '../shared/errors.ts';
import type { TlsPair } from './tls-pair.ts';

/**
 * @param port 0: any free one
 * @param tls with it, https
 * @throws BroadsideError PORT_IN_USE, USAGE for an address that this machine does not have
 */
export async function openPort(host: string, port: number, tls?: TlsPair): Promise<http.Server> {
  const server = tls === undefined ? http.createServer() : https.createServer({ ...tls });
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new BroadsideError('PORT_IN_USE', `port ${port} on ${host} is in use`, {
        hint: 'is a coordinator running already? Choose another port with --port N, or --port 0 for any free one',
        cause,
      });
    }
    if (code === 'EACCES') {
      throw new BroadsideError('USAGE', `--port ${port}: this user may not open that port`, { cause });
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new BroadsideError('USAGE', `--host ${host}: this machine does not have that address`, { cause });
    }
    throw cause;
  }
  return server;
}

export function portOf(server: http.Server): number {
  return (server.address() as AddressInfo).port;
}

/** For this machine: `http://127.0.0.1:7070`. */
export function localUrl(host: string, server: http.Server): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${portOf(server)}`;
}
