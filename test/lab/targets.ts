/** What a lab can have as its target: the small one of the coordinator, and real servers, started by servers.sh. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SERVERS_SH } from '../support/classic-servers.ts';
import { cleanEnvironment, endCli } from '../support/cli.ts';
import type { Cleanups } from '../support/scope.ts';
import type { Host } from './host.ts';
import type { NetworkLab } from './lab.ts';

/** The names that servers.sh knows. */
type Server = 'httpd' | 'tomcat' | 'nginx';

interface TargetKind {
  /** For the help. */
  what: string;
  /** What is started on which host; none for the coordinator's own. */
  servers: { host: 'target' | 'proxy'; server: Server; env?: Record<string, string> }[];
  /** Where the load goes. */
  host: 'target' | 'proxy';
  port: number;
  path?: string;
}

const httpd = (mpm: string): TargetKind => ({
  what: `Apache httpd with the ${mpm} MPM`,
  servers: [{ host: 'target', server: 'httpd', env: { MPM: mpm } }],
  host: 'target',
  port: 8080,
});

const tomcat = (what: string, port: number): TargetKind => ({
  what: `Tomcat 10, ${what}`,
  servers: [{ host: 'target', server: 'tomcat' }],
  host: 'target',
  port,
});

const proxied = (what: string, below: string): TargetKind => ({
  what: `httpd on the host proxy, by ${what} to Tomcat on the host target`,
  servers: [
    { host: 'target', server: 'tomcat' },
    { host: 'proxy', server: 'httpd', env: { MPM: 'event' } },
  ],
  host: 'proxy',
  port: 8080,
  path: below,
});

export const TARGETS = {
  'built-in': { what: '`coordinator target`', servers: [], host: 'target', port: 8080 },
  nginx: {
    what: 'nginx',
    servers: [{ host: 'target', server: 'nginx' }],
    host: 'target',
    port: 8087,
  },
  httpd: httpd('prefork'),
  'httpd-worker': httpd('worker'),
  'httpd-event': httpd('event'),
  'tomcat-nio-sendfile': tomcat('NIO with sendfile', 8081),
  'tomcat-nio': tomcat('NIO without', 8082),
  'tomcat-nio2-sendfile': tomcat('NIO2 with sendfile', 8083),
  'tomcat-nio2': tomcat('NIO2 without', 8084),
  'tomcat-nio-pool': tomcat('NIO with an executor of 50 threads', 8085),
  'tomcat-nio2-pool': tomcat('NIO2 with the same', 8086),
  'mod-jk': proxied('mod_jk', '/jk'),
  'mod-proxy-ajp': proxied('mod_proxy_ajp', '/ajp'),
  'mod-proxy-http': proxied('mod_proxy_http', '/proxy'),
  classic: {
    what: 'httpd and Tomcat on one host, for scenarios/classic',
    servers: [
      { host: 'target', server: 'tomcat' },
      { host: 'target', server: 'httpd' },
    ],
    host: 'target',
    port: 8080,
  },
} as const satisfies Record<string, TargetKind>;

export type TargetName = keyof typeof TARGETS;

export const isTargetName = (name: string): name is TargetName => Object.hasOwn(TARGETS, name);

const TOMCAT = '/usr/share/tomcat10/bin/catalina.sh';
const PACKAGES: Record<Server, { file: string; packages: string }> = {
  httpd: { file: '/usr/sbin/apache2', packages: 'apache2-bin libapache2-mod-jk' },
  tomcat: { file: TOMCAT, packages: 'tomcat10-common default-jre-headless' },
  nginx: { file: '/usr/sbin/nginx', packages: 'nginx-light' },
};

/** The Debian packages that a target needs and that are not here, or false. */
export function packagesMissing(name: TargetName): string | false {
  const missing = (TARGETS[name] as TargetKind).servers.filter(
    ({ server }) => !existsSync(PACKAGES[server].file),
  );
  return missing.length === 0 ? false : missing.map(({ server }) => PACKAGES[server].packages).join(' ');
}

export interface StartedTarget {
  /** With no slash at its end; has bodies at `/bytes/32KiB`. */
  url: string;
  /** Of each server, by host. */
  processes: { host: string; pid: number; server: Server | 'built-in' }[];
  /** Where servers.sh has its files, by host; the coordinator's own has none. */
  directories: Record<string, string>;
}

/**
 * Started, and answering; ends with the lab.
 * @param sizes of the bodies, such as `4KiB`; all of servers.sh's unless given. The coordinator's own has any.
 */
export async function startTarget(
  t: Cleanups,
  lab: NetworkLab,
  name: TargetName,
  sizes?: readonly string[],
): Promise<StartedTarget> {
  const kind: TargetKind = TARGETS[name];
  const address = lab.host(kind.host).address;
  const url = `http://${address}:${kind.port}${kind.path ?? ''}`;
  const started: StartedTarget = { url, processes: [], directories: {} };
  if (kind.servers.length === 0) {
    const words = ['target', '--host', address!, '--port', String(kind.port)];
    const target = lab.start(kind.host, 'coordinator', words);
    t.after(() => endCli(target));
    await target.says(/ on http:/);
    started.processes.push({ host: kind.host, pid: target.child.pid!, server: 'built-in' });
    return started;
  }
  for (const { host, server, env = {} } of kind.servers) {
    const directory = path.join(lab.directory, host);
    started.directories[host] = directory;
    const on = lab.host(host);
    const settings = { ...env, ADDRESS: on.address, TOMCAT: lab.host('target').address };
    await must(on, ['start', directory, server], {
      ...cleanEnvironment(),
      ...settings,
      ...(sizes !== undefined && { SIZES: sizes.join(' ') }),
    });
    t.after(() => must(on, ['stop', directory, server]));
  }
  await answers(
    lab.host('coordinator'),
    `${url}/bytes/${sizes?.[0] ?? '1KiB'}`,
    Object.values(started.directories),
  );
  for (const { host, server } of kind.servers) {
    const pid = Number(await readFile(path.join(started.directories[host]!, `${server}.pid`), 'utf8'));
    started.processes.push({ host, pid, server });
  }
  return started;
}

/** An observer on the target's host, and on the proxy's where that is in front; with the servers' processes. */
export async function observeTarget(lab: NetworkLab, { processes }: StartedTarget): Promise<void> {
  for (const host of new Set(['target', ...processes.map((one) => one.host)])) {
    const pids = processes.filter((one) => one.host === host).map(({ pid }) => String(pid));
    await lab.observe(host, pids);
  }
}

async function must(
  host: Host,
  order: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { code, stdout, stderr } = await host.run('sh', [SERVERS_SH, ...order], env);
  if (code !== 0)
    throw new Error(`servers.sh ${order.join(' ')} on ${host.name} ended with ${code}\n${stdout}${stderr}`);
}

const READY_WITHIN_MS = 60_000;
/** Asks until it is answered with 200, for so many ms. */
const ASK = `
  const [url, ms] = process.argv.slice(1);
  let last;
  while (performance.now() < ms) {
    last = await fetch(url).then(async (reply) => (await reply.arrayBuffer(), 'status ' + reply.status), String);
    if (last === 'status 200') process.exit(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.error(last);
  process.exit(1);`;

async function answers(from: Host, url: string, directories: readonly string[]): Promise<void> {
  const words = ['--input-type=module', '-e', ASK, url, String(READY_WITHIN_MS)];
  const { code, stderr } = await from.run(process.execPath, words);
  if (code === 0) return;
  const logs = await Promise.all(directories.map(logsOf));
  throw new Error(`${url} does not answer: ${stderr.trim()}\n${logs.join('\n')}`);
}

async function logsOf(directory: string): Promise<string> {
  const files = ['httpd-error.log', 'nginx-error.log', 'jk.log', 'tomcat/logs/catalina.out'];
  const texts = files.map((file) => readFile(path.join(directory, file), 'utf8').catch(() => ''));
  return (await Promise.all(texts)).join('');
}
