/**
 * What limited a trial, where that is known: each situation is made with real processes, on hosts of their own. It holds
 * on a machine that is busy with other things, because the lab comes before them, but for what is to be short of a core.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Report, ReportTrial } from '../../coordinator/report/schema.ts';
import { type CliProcess, endCli } from '../support/cli.ts';
import { reportOf } from '../support/lab.ts';
import { NAMESPACES_MISSING } from '../support/namespace.ts';
import { type Cores, readCores } from '../support/pinning.ts';
import { type Cleanups, Scope } from '../support/scope.ts';
import { type NetworkLab, startNetworkLab } from './lab.ts';
import { lossMissing } from './loss.ts';
import { set } from './namespaces.ts';

const RATE = 100e6;
const LOOPS = 4;
const cores = readCores();
const SKIP = NAMESPACES_MISSING || (typeof cores === 'string' ? cores : false);

/** Answers and leaves the close to the client, whose port then rests in TIME_WAIT. */
const LINGERING = `
  const net = require('node:net');
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok'));
  });
  server.listen(0, process.argv[1], () => console.log(server.address().port));
`;
/** Sleeps over every request, and while it sleeps nobody takes connections from its queue, which has room for two. */
const SLEEPING = `
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const server = require('node:http').createServer((request, response) => {
    Atomics.wait(nothing, 0, 0, 50);
    response.end('ok');
  });
  server.listen({ host: process.argv[1], port: 0, backlog: 1 }, () => console.log(server.address().port));
`;

interface Load {
  url: string;
  load: string;
  pool?: string;
  more?: string;
}

const scenario = ({ url, load, pool = 'default', more = '' }: Load): string => `
name: what limits it
targets: { target: "${new URL(url).origin}" }
request: { path: "${url.slice(new URL(url).origin.length)}", timeout: 10s }
load: ${load}
workers: { count: 1, pool: ${pool} }
dnf: { errorRatio: 1 }
${more}
`;

describe('what limits a trial', { skip: SKIP }, () => {
  const { client, server } = cores as Cores;
  const scope = new Scope();
  let lab: NetworkLab;
  let address: string;

  before(async () => {
    // With all that it starts: what else this machine does has to wait. Priorities count only within a session.
    execFileSync('chrt', ['-a', '-r', '-p', '1', String(process.pid)]);
    lab = await startNetworkLab(scope, { workers: 2, bitsPerSecond: RATE });
    address = lab.host('target').address!;
  });
  after(() => scope.close());

  /** The coordinator's own; ends with the scope. */
  async function builtIn(t: Cleanups): Promise<{ url: string; pid: number }> {
    const target = lab.start('target', 'coordinator', ['target', '--host', address, '--port', '0']);
    t.after(() => endCli(target));
    const [, url] = await target.says(/(http:\/\/[\d.]+:\d+)/);
    return { url: url!, pid: target.child.pid! };
  }

  async function program(t: Cleanups, text: string): Promise<{ url: string; pid: number }> {
    const child = lab.host('target').spawn(process.execPath, ['-e', text, address]);
    t.after(() => end(child));
    const [line] = await once(child.stdout!.setEncoding('utf8'), 'data');
    return { url: `http://${address}:${Number(line)}`, pid: child.pid! };
  }

  async function observe(t: Cleanups, pid: number): Promise<void> {
    const observer = await lab.observe('target', [String(pid)]);
    t.after(() => endCli(observer));
  }

  /** In a pool of its own, on the host that no other load is on. */
  async function extraWorker(t: Cleanups, name: string): Promise<CliProcess> {
    const speed = ['--link-speed', `${RATE}bit`];
    const worker = lab.start('worker-2', 'worker', [
      'start',
      ...['--coordinator', lab.url, '--name', name, '--pool', name, ...speed],
    ]);
    t.after(() => endCli(worker));
    await worker.says(/joined/);
    return worker;
  }

  async function measure(load: Load): Promise<Report> {
    const file = path.join(lab.directory, 'verdict.yaml');
    await writeFile(file, scenario(load));
    return reportOf(await lab.run([file, '--format', 'json']));
  }

  async function trialOf(load: Load): Promise<ReportTrial> {
    return (await measure(load)).trials[0]!;
  }

  /** From here on it has to share that core with loops, each of which has as much right to it. */
  function starve(t: Cleanups, pid: number, core: number): void {
    for (let i = 0; i < LOOPS; i++) {
      const words = ['-o', '0', 'taskset', '-c', String(core), process.execPath, '-e', 'for (;;);'];
      // In a session of its own: Linux shares cores out to sessions first.
      const loop = spawn('chrt', words, { stdio: 'ignore', detached: true });
      t.after(() => end(loop));
    }
    execFileSync('chrt', ['-a', '-o', '-p', '0', String(pid)]);
    execFileSync('taskset', ['-acp', String(core), String(pid)]);
  }

  const CLOSED = '{ executor: constant-connections, connections: 10, duration: 3s, keepAlive: true }';

  test('a target that sleeps: the target, inferred', async (t) => {
    const { url } = await builtIn(t);
    const { verdict } = await trialOf({ url: `${url}/?delay=50ms`, load: CLOSED });
    judged(verdict, 'target', /waited for replies \d+ % of the time/);
    assert.equal(verdict.inferred, true);
    assert.match(verdict.advice!, /worker observe/);
  });

  test('a target that others keep from its core: the target, by its observer', async (t) => {
    const { url, pid } = await builtIn(t);
    starve(t, pid, server);
    await observe(t, pid);
    const { verdict } = await trialOf({ url: `${url}/`, load: CLOSED });
    judged(verdict, 'target', /^target: the busiest of the threads of \d+ had no time left: busy 9\d|100 %/);
    assert.match(verdict.evidence.join('\n'), /waited for \d\.\d+ more that others had/);
    assert.equal(verdict.inferred, undefined);
  });

  test('a worker that others keep from its core: the generator', async (t) => {
    const { url, pid } = await builtIn(t);
    await observe(t, pid);
    const worker = await extraWorker(t, 'starved');
    starve(t, worker.child.pid!, client);
    const { verdict } = await trialOf({ url: `${url}/`, load: CLOSED, pool: 'starved' });
    judged(
      verdict,
      'generator',
      /^starved: its one load thread had no time left .* waiting for a core that others had/,
    );
  });

  test('a link of 100 Mbit/s: the network, with the link named', async (t) => {
    const { url, pid } = await builtIn(t);
    await observe(t, pid);
    const { verdict } = await trialOf({ url: `${url}/bytes/32KiB`, load: CLOSED });
    judged(
      verdict,
      'network',
      /^eth0 of (target|worker-1) carried \d+\.\d Mbit\/s .* of its 100 Mbit\/s, bound 95 %/,
    );
  });

  test('a link that loses one frame in thirty: the network, with what had to be sent again', async (t) => {
    const missing = lossMissing();
    if (missing !== false) return t.skip(missing);
    const { url, pid } = await builtIn(t);
    await observe(t, pid);
    t.after(lab.lose('target', 1 / 30));
    const load = '{ executor: constant-connections, connections: 10, duration: 3s, keepAlive: true }';
    const { verdict } = await trialOf({ url: `${url}/bytes/4KiB`, load });
    judged(verdict, 'network', /^target had to send \d+ of \d+ TCP segments again: \d\.\d %, bound 1 %/m);
    assert.match(verdict.advice!, /cables, switches/);
  });

  test('a queue of new connections that is too short: the target, by its observer', async (t) => {
    const { url, pid } = await program(t, SLEEPING);
    await observe(t, pid);
    const load = '{ executor: constant-connections, connections: 30, duration: 4s, keepAlive: false }';
    const { verdict } = await trialOf({ url: `${url}/`, load });
    judged(verdict, 'target', /^target: new connections found a listen queue full \d+ times/);
  });

  test('no ports left: the generator', async (t) => {
    const { url } = await program(t, LINGERING);
    await extraWorker(t, 'ports');
    set(lab.host('worker-2').namespace, { 'net.ipv4.ip_local_port_range': '50000 50099' });
    t.after(() => set(lab.host('worker-2').namespace, { 'net.ipv4.ip_local_port_range': '32768 60999' }));
    const load = '{ executor: constant-connections, connections: 10, duration: 3s, keepAlive: false }';
    const { verdict } = await trialOf({ url: `${url}/`, load, pool: 'ports' });
    judged(verdict, 'generator', /load machines' own \(local-ports \d+\), the first on ports/);
    assert.match(verdict.advice!, /--local-address/);
  });

  test('no descriptors left: the generator', async (t) => {
    const { url } = await builtIn(t);
    const worker = await extraWorker(t, 'files');
    const { pid } = worker.child;
    // Preflight would see it before the first trial.
    const open = readdirSync(`/proc/${pid}/fd`).length + 30;
    const lower = `test "$BROADSIDE_TRIAL" = 0 || prlimit --pid ${pid} --nofile=${open}:`;
    const { trials } = await measure({
      url: `${url}/`,
      load: '{ executor: constant-connections, connections: "${connections}", duration: 1500ms, keepAlive: true }',
      pool: 'files',
      more: `sweep: { connections: [1, 100] }\norder: sequential\nhooks: { beforeTrial: '${lower}' }`,
    });
    const { verdict } = trials[1]!;
    judged(verdict, 'generator', /load machines' own \(local-fds \d+\)/);
    assert.match(verdict.advice!, /ulimit -n/);
  });

  test('a rate that is easily met: nothing was at its limit', async (t) => {
    const { url, pid } = await builtIn(t);
    await observe(t, pid);
    const load = '{ executor: constant-arrival-rate, rate: 50/s, duration: 3s, maxConnections: 50 }';
    const { verdict } = await trialOf({ url: `${url}/?delay=100ms`, load });
    judged(verdict, 'none', /^100\.0 % of 150 arrivals were answered/);
  });

  test('more arrivals than its connections can carry, and the target sleeps over each: the target, inferred', async (t) => {
    const { url } = await builtIn(t);
    const load =
      '{ executor: constant-arrival-rate, rate: 400/s, duration: 3s, maxConnections: 20, maxWait: 100ms }';
    const { verdict } = await trialOf({ url: `${url}/?delay=200ms`, load });
    judged(verdict, 'target', /of 1200 arrivals were dropped/);
  });
});

function judged({ limit, evidence }: ReportTrial['verdict'], expected: string, words: RegExp): void {
  assert.equal(limit, expected, evidence.join('\n'));
  assert.match(evidence.join('\n'), words);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
