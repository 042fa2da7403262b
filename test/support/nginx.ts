/** Debian's nginx on a port of its own, with an access log that says what it sent: the other side of the account. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { certificateFile } from './certificates.ts';
import { temporaryDirectory } from './lab.ts';
import { pinned } from './pinning.ts';
import type { Cleanups } from './scope.ts';

export const NGINX_MISSING: string | false =
  spawnSync('nginx', ['-v']).error === undefined ? false : 'nginx is not installed on this machine';

export interface AccessLog {
  requests: number;
  /** Σ $bytes_sent. */
  bytesSent: number;
  /** Σ $body_bytes_sent. */
  bodyBytesSent: number;
}

/** What it logged of one turn. */
export interface TurnLog extends AccessLog {
  /** From the first line to the last. */
  seconds: number;
}

export interface Nginx {
  url: string;
  /** What it logged since the last call, once it has logged `requests` lines; fails when they do not come. */
  takeLog(requests: number): Promise<AccessLog>;
  /** What it logged of URLs with exactly this query, whole replies with status 200, once that is `requests` lines. */
  logOf(query: string, requests: number): Promise<TurnLog>;
}

export interface NginxOptions {
  /** Keep it on this core. */
  core?: number;
  /** Spare it the access log, and let it keep files open; `takeLog` is then of no use. */
  unlogged?: boolean;
  /** Speak TLS, with the certificate `server` of the tests. */
  secure?: boolean;
  /** Let so many requests through in a second and hold the others back, each until its turn. */
  limit?: number;
}

const TRIES = 5;

/** @param bodies file name → size in bytes */
export async function startNginx(
  t: Cleanups,
  bodies: Record<string, number>,
  options: NginxOptions = {},
): Promise<Nginx> {
  const directory = await temporaryDirectory(t);
  const root = path.join(directory, 'root');
  await mkdir(root);
  for (const [name, size] of Object.entries(bodies))
    await writeFile(path.join(root, name), Buffer.alloc(size, 'b'));
  const log = path.join(directory, 'access.log');
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const child = await tryStart(directory, root, log, port, options);
    if (child !== undefined) {
      t.after(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill('SIGQUIT');
        child.kill('SIGTERM');
        await exited;
      });
      let taken = 0;
      return {
        url: `${options.secure ? 'https' : 'http'}://127.0.0.1:${port}`,
        takeLog: async (requests) => {
          const lines = await linesOf(log, taken + requests);
          const fresh = lines.slice(taken);
          taken = lines.length;
          return account(fresh);
        },
        logOf: async (query, requests) => {
          const lines = await linesOf(
            log,
            requests,
            (line) => line.startsWith('200 ') && line.endsWith(` ${query}`),
          );
          const times = lines.map((line) => Number(line.split(' ')[3]));
          return { ...account(lines), seconds: times.at(-1)! - times[0]! };
        },
      };
    }
    if (attempt === TRIES)
      throw new Error(`nginx did not start: ${await readFile(path.join(directory, 'error.log'), 'utf8')}`);
  }
}

function account(lines: readonly string[]): AccessLog {
  const rows = lines.map((line) => line.split(' ').map(Number));
  return {
    requests: rows.length,
    bytesSent: rows.reduce((sum, row) => sum + row[1]!, 0),
    bodyBytesSent: rows.reduce((sum, row) => sum + row[2]!, 0),
  };
}

const SECURE = `ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:tests:1m;
  ssl_certificate ${certificateFile('server')}; ssl_certificate_key ${certificateFile('server', 'key.pem')};`;

async function tryStart(
  directory: string,
  root: string,
  log: string,
  port: number,
  { core, unlogged, secure, limit }: NginxOptions,
): Promise<ChildProcess | undefined> {
  const config = path.join(directory, 'nginx.conf');
  // Under root its workers would be another user, who may not read a temporary directory.
  const asRoot = process.getuid?.() === 0 ? 'user root; ' : '';
  await writeFile(
    config,
    `${asRoot}daemon off; worker_processes 1; pid ${directory}/pid; error_log ${directory}/error.log;
     events { worker_connections 4096; }
     http {
       log_format account '$status $bytes_sent $body_bytes_sent $msec $args';
       ${limit === undefined ? '' : `limit_req_zone all zone=all:64k rate=${limit}r/s; limit_req zone=all burst=10000;`}
       ${unlogged ? 'access_log off; open_file_cache max=100' : `access_log ${log} account`};
       keepalive_requests 1000000000;
       client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/fastcgi;
       uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
       server { listen 127.0.0.1:${port}${secure ? ' ssl' : ''}; root ${root}; ${secure ? SECURE : ''} }
     }`,
  );
  const [command, args] = pinned(core, 'nginx', ['-c', config, '-e', path.join(directory, 'error.log')]);
  const child = spawn(command, args, { stdio: 'ignore' });
  const exited = once(child, 'exit').then(() => false);
  const accepts = (async (): Promise<boolean> => {
    for (let i = 0; i < 200; i++) {
      if (await canConnect(port)) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return false;
  })();
  return (await Promise.race([exited, accepts])) ? child : undefined;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** nginx writes a line after it has sent the reply, so the last ones may come a moment after the client has gone. */
async function linesOf(
  log: string,
  atLeast: number,
  wanted: (line: string) => boolean = (line) => line !== '',
): Promise<string[]> {
  for (let i = 0; ; i++) {
    const text = await readFile(log, 'utf8');
    const lines = text.split('\n').filter(wanted);
    if (lines.length >= atLeast || i === 100) return lines;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
