/** The servers of the classic scenarios, from Debian's packages, on ports of their own in a directory of their own. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './cli.ts';
import type { Cleanups } from './scope.ts';

const run = promisify(execFile);

export const CLASSIC = path.join(ROOT, 'scenarios', 'classic');
export const SERVERS_SH = path.join(CLASSIC, 'setup', 'servers.sh');
const TOMCAT = '/usr/share/tomcat10/bin/catalina.sh';

const missing = [
  ...(spawnSync('apache2', ['-v']).error === undefined ? [] : ['apache2']),
  ...(existsSync(TOMCAT) ? [] : ['tomcat10']),
  ...(spawnSync('java', ['-version']).error === undefined ? [] : ['java']),
];
/** Why the classic experiments cannot be run here. */
export const SERVERS_MISSING: string | false =
  missing.length === 0 ? false : `${missing.join(' and ')} not installed on this machine`;

const CONNECTORS = ['nio-sendfile', 'nio', 'nio2-sendfile', 'nio2', 'nio-pool', 'nio2-pool'] as const;
type Connector = (typeof CONNECTORS)[number];

export interface ClassicServers {
  /** To be given to servers.sh. */
  directory: string;
  url(server: 'httpd' | Connector): string;
}

const TRIES = 3;
const READY_WITHIN_MS = 60_000;

/**
 * Both servers, answering on every port; they end with the test.
 * @param sizes of the files, such as `4KiB`
 */
export async function startServers(t: Cleanups, sizes: readonly string[]): Promise<ClassicServers> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'broadside-'));
  t.after(async () => {
    await run('sh', [SERVERS_SH, 'stop', directory]);
    await rm(directory, { recursive: true, force: true });
  });
  for (let attempt = 1; ; attempt++) {
    const [httpd, ajp, ...connectors] = await freePorts(2 + CONNECTORS.length);
    const ports = new Map<string, number>([['httpd', httpd!]]);
    for (const [i, name] of CONNECTORS.entries()) ports.set(name, connectors[i]!);
    const url = (server: string): string => `http://127.0.0.1:${ports.get(server)}`;
    const env = {
      ...process.env,
      HTTPD_PORT: String(httpd),
      AJP_PORT: String(ajp),
      NIO_PORT: String(ports.get('nio')),
      TOMCAT_OPTS: CONNECTORS.map((name) => `-Dport.${name}=${ports.get(name)}`).join(' '),
      SIZES: sizes.join(' '),
    };
    try {
      await run('sh', [SERVERS_SH, 'start', directory], { env });
      const deadlineMs = performance.now() + READY_WITHIN_MS;
      for (const server of ports.keys()) await answers(`${url(server)}/page.html`, deadlineMs);
      return { directory, url };
    } catch (error) {
      await run('sh', [SERVERS_SH, 'stop', directory]);
      if (attempt === TRIES) throw new Error(`${error}\n${await logsOf(directory)}`);
    }
  }
}

async function answers(url: string, deadlineMs: number): Promise<void> {
  for (;;) {
    const status = await fetch(url).then(
      async (reply) => {
        await reply.arrayBuffer();
        return reply.status;
      },
      () => undefined,
    );
    if (status === 200) return;
    if (performance.now() > deadlineMs) throw new Error(`${url} does not answer (${status ?? 'no reply'})`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function logsOf(directory: string): Promise<string> {
  const files = ['httpd-error.log', path.join('tomcat', 'logs', 'catalina.out')];
  const texts = files.map((file) => readFile(path.join(directory, file), 'utf8').catch(() => ''));
  return (await Promise.all(texts)).join('\n');
}

/**
 * Below those that systems give to connections: Tomcat takes seconds to start, and meanwhile another test's connection
 * might get one of them.
 */
async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
