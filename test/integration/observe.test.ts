/** Hosts that are sampled beside the traffic: real commands, a real nginx, clocks that are wrong. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { HostSecondRecord } from '../../coordinator/journal-records.ts';
import type { ReportHost } from '../../coordinator/report/hosts/host-model.ts';
import type { Report, ReportTrial } from '../../coordinator/report/schema.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { type CliProcess, endCli, ROOT, runCli, startCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { answerTo } from '../support/hello.ts';
import { type Lab, reportOf, startLab } from '../support/lab.ts';
import { makeNamespace, NAMESPACES_MISSING } from '../support/namespace.ts';
import { NGINX_MISSING, startNginx } from '../support/nginx.ts';
import type { Cleanups } from '../support/scope.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const LINUX_ONLY = process.platform === 'linux' ? false : 'only Linux tells what its hosts do';

async function observe(t: Cleanups, url: string, args: readonly string[]): Promise<CliProcess> {
  const observer = startCli('worker', ['observe', '--coordinator', url, ...args]);
  t.after(() => endCli(observer));
  await observer.says(/joined/);
  return observer;
}

function hostOf({ hosts }: ReportTrial, name: string): ReportHost {
  const host = hosts.find((one) => one.name === name);
  assert.ok(host !== undefined, `${name} is not among ${hosts.map((one) => one.name).join(', ')}`);
  return host;
}

describe('worker observe', { skip: LINUX_ONLY }, () => {
  test('nginx under the load of two workers, observed by its name', { skip: NGINX_MISSING }, async (t) => {
    const nginx = await startNginx(t, { '4k.bin': 4_096 });
    const lab = await startLab(t, ['w1', 'w2']);
    await observe(t, lab.url, ['--name', 'srv', '--process', 'nginx', '--link-speed', 'lo=10gbit']);
    const listed = await runCli('coordinator', ['workers', '--coordinator', lab.url, '--format', 'json']);
    const roles = (JSON.parse(listed.stdout) as { name: string; role: string }[]).map((one) => [
      one.name,
      one.role,
    ]);
    assert.deepEqual(roles, [
      ['srv', 'observer'],
      ['w1', 'worker'],
      ['w2', 'worker'],
    ]);

    const load = ['--rate', '400', '-c', '16', '-t', '3', '-k', '--workers', '2'];
    const result = await lab.run([`${nginx.url}/4k.bin`, ...load, '--format', 'json']);
    const [trial] = reportOf(result).trials;
    assert.deepEqual(
      trial!.workers.map(({ name }) => name),
      ['w1', 'w2'],
      'an observer takes no shards',
    );
    assert.deepEqual(
      trial!.hosts.map(({ name, role }) => [name, role]),
      [
        ['w1', 'worker'],
        ['w2', 'worker'],
        ['srv', 'observer'],
      ],
    );
    for (const host of trial!.hosts) {
      assert.ok(host.sampledUs > 0.3 * trial!.summary.durationUs, `${host.name}: ${host.sampledUs} µs`);
      assert.ok(host.cpu!.busy.mean > 0 && host.cpu!.busy.max <= 1);
      assert.ok(host.sockets!.established.max >= 16, 'the connections of the load');
    }
    const srv = hostOf(trial!, 'srv');
    const [process] = srv.processes;
    assert.equal(process!.name, 'nginx');
    assert.ok(process!.user!.mean + process!.system!.mean > 0);
    assert.ok(process!.processes! >= 2, 'the first process and its child');
    assert.ok(process!.descriptors!.open > 4);
    const [lo] = srv.interfaces.filter(({ onPath }) => onPath);
    assert.equal(lo!.name, 'lo');
    assert.equal(lo!.speedFrom, 'operator');
    assert.ok(lo!.bytes.sent > 0);
    assert.ok(trial!.wire!.ceiling!.requestRate > trial!.summary.requestRate);
    const text = await runCli('coordinator', [
      ...['report', (JSON.parse(result.stdout) as Report).run.id],
      ...['--data', lab.data, '--format', 'text'],
    ]);
    assert.match(text.stdout, /^nginx +srv +\d\.\d\d/m);
  });

  test('an observer that is killed in a run is noted, and the run goes on', async (t) => {
    const lab = await startLab(t, ['w1']);
    const target = await startCountingTarget(t);
    const observer = await observe(t, lab.url, ['--name', 'srv']);
    const running = lab.start([target.url, '-t', '4', '-c', '2', '-k', '--format', 'json']);
    await running.says(/req\/s/);
    observer.child.kill('SIGKILL');
    const result = await running.ended;
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stderr, /observer srv was cut off; the run goes on/);
    const host = hostOf(reportOf(result).trials[0]!, 'srv');
    assert.match(host.lost!.reason, /cut off/);
    assert.ok(host.lost!.atUs > 0);
  });

  test('an observer that leaves in a run is noted, with what it has sampled', async (t) => {
    const lab = await startLab(t, ['w1']);
    const target = await startCountingTarget(t);
    const observer = await observe(t, lab.url, ['--name', 'srv']);
    const running = lab.start([target.url, '-t', '4', '-c', '2', '-k', '--format', 'json']);
    await running.says(/req\/s/);
    await endCli(observer);
    const result = await running.ended;
    assert.equal(result.code, 0, result.stderr);
    const host = hostOf(reportOf(result).trials[0]!, 'srv');
    assert.match(host.lost!.reason, /it left: SIGTERM/);
    assert.ok(host.seconds.length >= 1);
  });

  test('one that comes in a run is sampled from then on', async (t) => {
    const lab = await startLab(t, ['w1']);
    const target = await startCountingTarget(t);
    const running = lab.start([target.url, '-t', '60', '-c', '2', '-k', '--format', 'json']);
    await running.says(/req\/s/);
    await observe(t, lab.url, ['--name', 'late']);
    await sampled(lab, 'late');
    running.child.kill('SIGINT');
    const late = hostOf(reportOf(await running.ended).trials[0]!, 'late');
    assert.ok(late.seconds.length >= 1);
    assert.ok(late.seconds[0]!.fromUs > 1_000_000, 'it was not there before');
    assert.equal(late.lost, undefined);
  });

  test('a link that is cut and mended loses no sample and doubles none', async (t) => {
    const lab = await startLab(t, ['w1']);
    const target = await startCountingTarget(t);
    const proxy = await startTcpProxy(t, new URL(lab.url));
    const observer = await observe(t, proxy.url, ['--name', 'srv']);
    const running = lab.start([target.url, '-t', '5', '-c', '2', '-k', '--format', 'json']);
    await running.says(/req\/s/);
    proxy.cut();
    await observer.says(/was cut; dialling again/);
    proxy.mend();
    const report = reportOf(await running.ended);
    const host = hostOf(report.trials[0]!, 'srv');
    assert.equal(host.lost, undefined);
    const samples = await samplesOf(lab, 'srv');
    assert.deepEqual(
      samples.map(({ seq }) => seq),
      samples.map((_, i) => i),
    );
    // One after another, without a gap: the counters go on while the link is cut.
    for (const [i, { sample }] of samples.entries()) {
      const before = samples[i - 1]?.sample;
      if (before === undefined) continue;
      assert.ok(Math.abs(sample.fromUs - before.fromUs - before.lengthUs) < 20_000, `sample ${i}`);
    }
    assert.ok(host.sampledUs > 4_000_000, `${host.sampledUs} µs`);
  });
});

/** Of the lab's only run. */
async function samplesOf(lab: Lab, host: string): Promise<HostSecondRecord[]> {
  const runs = path.join(lab.data, 'runs');
  const [run] = await readdir(runs);
  const text = await readFile(path.join(runs, run!, 'journal.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('{"type":"host-second"') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as HostSecondRecord)
    .filter((record) => record.host === host);
}

/** Resolves when a sample of the host has been journaled; fails after 20 s. */
async function sampled(lab: Lab, host: string): Promise<void> {
  for (let i = 0; (await samplesOf(lab, host)).length === 0; i++) {
    assert.ok(i < 400, `no sample of ${host} came in`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a host whose clock is wrong', { skip: LINUX_ONLY || NAMESPACES_MISSING || NGINX_MISSING }, () => {
  const MINUTES = [7 * 60_000, -7 * 60_000];
  for (const wrongByMs of MINUTES) {
    test(`by ${wrongByMs / 60_000} minutes: its samples and the traffic line up within 100 ms`, async (t) => {
      const namespace = makeNamespace(t);
      const script = path.join(ROOT, 'dist/test/support/observed-lab.js');
      const { stdout, stderr } = await namespace.run(process.execPath, [script, String(wrongByMs)]);
      assert.notEqual(stdout, '', stderr);
      const [trial] = (JSON.parse(stdout) as Report).trials;
      const wrong = hostOf(trial!, 'wrong');
      // The offset is real, and was measured.
      assert.ok(Math.abs(wrong.clockOffsetUs / 1_000 - wrongByMs) < 100, `${wrong.clockOffsetUs} µs`);
      const off = displacement(trial!, wrong);
      assert.ok(Math.abs(off) < 0.1, `${off} s`);
    });
  }
});

/** Arrivals a second more in each second (test/support/observed-lab.ts). */
const RISE = 200;

/**
 * How far samples lie from where they say, against a load that rises evenly, in seconds. A sample that really was by d
 * later has carried what RISE × d × its length requests are more. How much a request carries is not known, only that
 * it is the same in all samples: two of them, early and late, tell both.
 */
function displacement({ summary, timeline }: ReportTrial, host: ReportHost): number {
  const perRequest = summary.bytes.received / summary.requests;
  const before = timeline.map((_, i) =>
    timeline.slice(0, i).reduce((sum, { requests }) => sum + requests, 0),
  );
  /** Requests until `us`: as they were counted at whole seconds, rising evenly in between. */
  const until = (us: number): number => {
    // A sample may begin a moment before the load, by what is not known of the clock.
    const second = Math.max(0, Math.min(timeline.length - 1, Math.floor(us / 1e6)));
    const part = us / 1e6 - second;
    const { requests } = timeline[second]!;
    return before[second]! + part * requests + (RISE / 2) * (part * part - part);
  };
  const whole = host.seconds.filter(({ fromUs, lengthUs }) => fromUs + lengthUs < summary.durationUs);
  const [early, late] = [whole[0]!, whole.at(-1)!].map(({ fromUs, lengthUs, sentBits }) => ({
    requests: until(fromUs + lengthUs) - until(fromUs),
    carried: (sentBits! * lengthUs) / 8e6 / perRequest,
    length: lengthUs / 1e6,
  }));
  assert.ok(whole.length >= 2, `${whole.length} whole samples`);
  // carried = each × (requests + RISE × d × length), for both.
  const rise = (one: typeof early) => RISE * one!.length;
  const ratio = early!.carried / late!.carried;
  return (ratio * late!.requests - early!.requests) / (rise(early) - ratio * rise(late));
}

describe('bad input', () => {
  const URL_ = 'http://127.0.0.1:9';
  const rows: [that: string, args: string[], says: RegExp, skip?: string | false][] = [
    [
      'a process that is not running',
      ['--process', 'no-such-program'],
      /--process no-such-program: no process of this name is running on this host\n +see `ps/,
      LINUX_ONLY,
    ],
    [
      'a pid that is nobody',
      ['--process', '4194305'],
      /--process 4194305: no process with this pid is running/,
      LINUX_ONLY,
    ],
    [
      'an interface that is not there',
      ['--interface', 'eth99'],
      /--interface eth99: this host has no such interface\n +it has lo/,
    ],
    [
      'the speed of an interface that is not there',
      ['--link-speed', 'eth99=1gbit'],
      /--link-speed eth99: this host has no such interface/,
    ],
    [
      'a speed without a unit',
      ['--link-speed', '100'],
      /'100' is invalid\. expected a speed such as 100mbit/,
    ],
    ['a speed with a bad unit', ['--link-speed', '100MB'], /'100MB' is invalid\. expected a speed such as/],
  ];
  for (const [that, args, says, skip = false] of rows) {
    test(that, { skip }, async () => {
      const result = await runCli('worker', ['observe', '--coordinator', URL_, ...args]);
      assert.equal(result.code, 2, result.stderr);
      assert.match(result.stderr, says);
      assert.ok(result.stderr.trimEnd().split('\n').length <= 2, result.stderr);
    });
  }

  test('worker start knows speeds too', async () => {
    const result = await runCli('worker', ['start', '--coordinator', URL_, '--link-speed', 'eth99=1gbit']);
    assert.equal(result.code, 2, result.stderr);
    assert.match(result.stderr, /--link-speed eth99: this host has no such interface/);
  });

  test('an observer of another version is refused, and told both', async (t) => {
    const lab = await startLab(t, []);
    const hello = { type: 'hello', protocol: 99, role: 'observer', name: 'old', capabilities: {} };
    const { message } = await answerTo(lab.url, hello);
    assert.match(message, new RegExp(`observer old speaks protocol 99 .*speaks ${PROTOCOL_VERSION};`));
  });

  test('a second observer of one name is refused', async (t) => {
    const lab = await startLab(t, []);
    await observe(t, lab.url, ['--name', 'srv']);
    const second = startCli('worker', ['observe', '--coordinator', lab.url, '--name', 'srv']);
    t.after(() => endCli(second));
    const [code] = await once(second.child, 'close');
    assert.equal(code, 2);
    assert.match(second.stderr, /an observer named srv is already connected; choose another with --name/);
  });
});
