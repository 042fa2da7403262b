/** Three workers pull from one target over its 100 Mbit/s link: the link is used up, evenly, and every account agrees. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ceilingOf, ETHERNET } from '../../coordinator/report/hosts/wire.ts';
import type { ReportTrial } from '../../coordinator/report/schema.ts';
import { reportOf } from '../support/lab.ts';
import { NAMESPACES_MISSING } from '../support/namespace.ts';
import { Scope } from '../support/scope.ts';
import { type NetworkLab, startNetworkLab } from './lab.ts';
import { countersOf, type LinkCounters } from './network.ts';
import { startTarget } from './targets.ts';

const RATE = 100e6;
const WORKERS = 3;
const TRIALS = 3;
const LEAST = 0.98;

/**
 * Many connections on each worker: one that has to wait for a core then leaves the link to its others, and unequal luck of
 * connections evens out.
 */
const scenario = (bytes: string, connections: number, duration: string): string => `
name: shared link
targets: { target: "http://10.77.0.2:8080" }
request: { path: "/bytes/${bytes}" }
load: { executor: constant-connections, connections: ${connections}, duration: ${duration}, keepAlive: true }
warmup: { duration: 1s }
`;

describe('three workers on a switch of 100 Mbit/s', { skip: NAMESPACES_MISSING }, () => {
  const scope = new Scope();
  let lab: NetworkLab;
  let trial: ReportTrial;
  /** Of its run, by host. */
  const counted = new Map<string, LinkCounters>();

  before(async () => {
    // And with it all that it starts: the load is light, and only what else this machine does could hold it up.
    os.setPriority(-10);
    lab = await startNetworkLab(scope, { workers: WORKERS, bitsPerSecond: RATE });
    await startTarget(scope, lab, 'built-in');
    await lab.observe('target');
    // What else this machine does can only take from the rate, and connections share a link evenly only in the long run:
    // one trial of three has to show both.
    for (let i = 0; i < TRIALS && !(trial !== undefined && shareOf(trial) >= LEAST && isEven(trial)); i++)
      await measureAndCount();
  });
  after(() => scope.close());

  async function measureAndCount(): Promise<void> {
    const hosts = ['target', ...lab.workers];
    const before = await Promise.all(hosts.map((name) => countersOf(lab.host(name))));
    trial = await measure(scenario('32KiB', 60, '8s'));
    const after = await Promise.all(hosts.map((name) => countersOf(lab.host(name))));
    for (const [i, name] of hosts.entries()) counted.set(name, difference(after[i]!, before[i]!));
  }

  async function measure(text: string): Promise<ReportTrial> {
    const file = path.join(lab.directory, 'scenario.yaml');
    await writeFile(file, text);
    const result = await lab.run([file, '--workers', String(WORKERS), '--format', 'json']);
    return reportOf(result).trials[0]!;
  }

  test('the merged rate is within 2 % of what frames leave of the link', () => {
    const share = shareOf(trial);
    assert.ok(share > LEAST && share < 1.005, `${trial.summary.transferRate.received} bytes/s: ${share}`);
  });

  test('the verdict is the network, and names the link', () => {
    const { limit, evidence } = trial.verdict;
    assert.equal(limit, 'network', evidence.join());
    assert.match(evidence.join(), /eth0 of target/);
  });

  test('each worker carries a third, give or take a tenth of it', () => {
    assert.equal(trial.workers.length, WORKERS);
    assert.ok(isEven(trial), trial.workers.map(({ name, requests }) => `${name}: ${requests}`).join());
  });

  test('what the workers’ interfaces received is what the target’s sent, to 1 %', () => {
    const received = lab.workers.reduce((sum, name) => sum + counted.get(name)!.receivedBytes, 0);
    const { sentBytes } = counted.get('target')!;
    const ratio = received / sentBytes;
    assert.ok(Math.abs(ratio - 1) < 0.01, `${received} of ${sentBytes}: ${ratio}`);
    assert.ok(sentBytes > trial.summary.bytes.received, 'with the headers of frames');
  });

  test('the target sent frames, not bundles of them', () => {
    const { sentBytes, sentPackets } = counted.get('target')!;
    assert.ok(sentBytes / sentPackets <= 1514, `${sentBytes / sentPackets} bytes a packet`);
  });

  test('at 1 KiB on one connection the network is not the limit', async () => {
    // A millisecond that a network of cables and a server of some work would take: without, 1 KiB fills this link, too.
    const { verdict } = await measure(scenario('1KiB?delay=1ms', 1, '2s'));
    assert.notEqual(verdict.limit, 'network', verdict.evidence.join());
  });
});

/** Each worker a third, give or take a tenth of it. */
function isEven({ workers }: ReportTrial): boolean {
  const total = workers.reduce((sum, { requests }) => sum + requests, 0);
  return workers.every(({ requests }) => Math.abs((workers.length * requests) / total - 1) < 0.1);
}

/** Of what the link can carry. Of bytes, for what is still on its way in the end has used the link, too. */
function shareOf({ summary }: ReportTrial): number {
  const { requests, transferRate, bytes } = summary;
  const load = {
    bodyBytes: 32_768,
    headBytes: Math.round((bytes.received - bytes.body!) / requests),
    requestBytes: Math.round(bytes.sent / requests),
    connections: 0,
  };
  const ceiling = ceilingOf(load, ETHERNET, RATE)!;
  return transferRate.received / (ceiling.requestRate * (load.bodyBytes + load.headBytes));
}

function difference(now: LinkCounters, then: LinkCounters): LinkCounters {
  return {
    receivedBytes: now.receivedBytes - then.receivedBytes,
    sentBytes: now.sentBytes - then.sentBytes,
    receivedPackets: now.receivedPackets - then.receivedPackets,
    sentPackets: now.sentPackets - then.sentPackets,
  };
}
