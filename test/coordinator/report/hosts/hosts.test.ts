/** From journal records to hosts, the account of the wire, and what people read of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostJournalRecord, JournalRecord } from '../../../../coordinator/journal-records.ts';
import { formatterFor } from '../../../../coordinator/report/formats.ts';
import { buildReport } from '../../../../coordinator/report/model.ts';
import type { ReportTrial } from '../../../../coordinator/report/schema.ts';
import type { HostFacts, HostSecond } from '../../../../shared/metrics/host-second.ts';
import { closedRun } from '../journal-fixture.ts';

const FACTS: HostFacts = {
  hostname: 'srv',
  machine: 'boot-1 net:[1]',
  cores: 2,
  tcpTimestamps: true,
  interfaces: [
    { name: 'lo', addresses: ['127.0.0.1'], loopback: true, mtu: 65536, toTarget: true },
    { name: 'eth0', addresses: ['10.0.0.5'], mtu: 1500, speedBitsPerSecond: 1e8, speedFrom: 'operator' },
  ],
  processes: ['nginx', 'gone'],
};

function second(number: number, more: Partial<HostSecond> = {}): HostSecond {
  const shares = { user: 0.2, system: 0.3, iowait: 0.1, steal: 0, idle: 0.4 };
  return {
    second: number,
    fromUs: number * 1e6,
    lengthUs: 1e6,
    cpu: shares,
    cores: [shares, { ...shares, user: 0.6, idle: 0 }],
    contextSwitches: 500,
    runQueue: number,
    memory: { totalBytes: 1e9, availableBytes: 5e8 - number },
    interfaces: [
      {
        name: 'eth0',
        receivedBytes: 66_000,
        sentBytes: 1_514_000,
        receivedPackets: 1_000,
        sentPackets: 1_000,
        receivedDrops: 0,
        sentDrops: 1,
      },
    ],
    tcp: { sentSegments: 1_000, retransmits: 2, resets: 0, listenOverflows: 1, listenDrops: 1 },
    sockets: { inUse: 10, established: 5, timeWait: 100 + number, orphaned: 0 },
    descriptors: { open: 500 + number, limit: 10_000 },
    processes: [
      {
        name: 'nginx',
        lengthUs: 1e6,
        userUs: 200_000,
        systemUs: 300_000,
        residentBytes: 10_000_000,
        processes: 2,
        threads: 2,
        descriptors: { open: 20, limit: 1024 },
      },
    ],
    ...more,
  };
}

/** The trial of `closedRun` lasts 2.345678 s. */
async function trialWith(records: HostJournalRecord[]): Promise<ReportTrial> {
  return (await buildReport(journalWith(records))).trials[0]!;
}

function journalWith(records: HostJournalRecord[]): JournalRecord[] {
  const all = closedRun();
  return [...all.slice(0, 2), ...records, ...all.slice(2)];
}

const observer: HostJournalRecord = {
  type: 'host',
  trial: 0,
  host: 'srv-obs',
  role: 'observer',
  clockOffsetUs: 420_000_000,
  clockUncertaintyUs: 120,
};
const facts: HostJournalRecord = { type: 'host-facts', trial: 0, host: 'srv-obs', facts: FACTS };
const seconds = (...samples: HostSecond[]) =>
  samples.map(
    (sample, seq): HostJournalRecord => ({ type: 'host-second', trial: 0, host: 'srv-obs', seq, sample }),
  );

describe('a host in the report', () => {
  test('a run without hosts has none, and no account of the wire', async () => {
    const trial = await trialWith([]);
    assert.deepEqual(trial.hosts, []);
    assert.equal(trial.wire, undefined);
  });

  test('means by time, highest of whole seconds, sums of what was counted', async () => {
    const idle = { user: 0, system: 0, iowait: 0, steal: 0, idle: 1 };
    const tail = second(2, { lengthUs: 345_678, cpu: idle });
    const { hosts } = await trialWith([observer, facts, ...seconds(second(0), second(1), tail)]);
    const [host] = hosts;
    assert.equal(host!.role, 'observer');
    assert.equal(host!.hostname, 'srv');
    assert.equal(host!.clockOffsetUs, 420_000_000);
    assert.equal(host!.sampledUs, 2_345_678);
    // 2 s of 0.5 in 2.345678 s.
    assert.ok(Math.abs(host!.cpu!.busy.mean - 1 / 2.345678) < 1e-9);
    assert.equal(host!.cpu!.busy.max, 0.5);
    assert.ok(Math.abs(host!.cpu!.busiestCore!.max - 0.9) < 1e-9);
    assert.deepEqual(host!.runQueue!.max, 1, 'that of the tail is no second');
    assert.equal(host!.memoryAvailable, 5e8 - 2);
    assert.deepEqual(host!.tcp, {
      sentSegments: 3_000,
      retransmits: 6,
      resets: 0,
      listenOverflows: 3,
      listenDrops: 3,
    });
    assert.deepEqual(host!.descriptors, { open: 502, limit: 10_000 });
    assert.deepEqual(
      host!.seconds.map(({ second, lengthUs }) => [second, lengthUs]),
      [
        [0, 1e6],
        [1, 1e6],
        [2, 345_678],
      ],
    );
  });

  test('what was sampled after the load is not in its numbers', async () => {
    const { hosts } = await trialWith([observer, facts, ...seconds(second(0), second(1), second(3))]);
    assert.equal(hosts[0]!.seconds.length, 2);
  });

  test('a sample that was journaled twice counts once', async () => {
    const [one] = seconds(second(0));
    const { hosts } = await trialWith([observer, facts, one!, one!]);
    assert.equal(hosts[0]!.seconds.length, 1);
  });

  test("its processes' CPU, split, in cores; one that was never there has nothing but its name", async () => {
    const { hosts } = await trialWith([observer, facts, ...seconds(second(0), second(1))]);
    assert.deepEqual(hosts[0]!.processes, [
      {
        name: 'nginx',
        user: { mean: 0.2, max: 0.2 },
        system: { mean: 0.3, max: 0.3 },
        residentBytes: 10_000_000,
        processes: 2,
        threads: 2,
        descriptors: { open: 20, limit: 1024 },
      },
      { name: 'gone' },
    ]);
  });

  test('a program with more threads than are read a second: the report says of how many it speaks', async () => {
    const [nginx] = second(0).processes!;
    const large = { ...nginx!, threads: 900, waitUs: 100_000, busiestThreadUs: 250_000 };
    const samples = [0, 1].map((number) =>
      second(number, { processes: [{ ...large, threadsRead: 256 - number }] }),
    );
    const report = await buildReport(journalWith([observer, facts, ...seconds(...samples)]));
    const [process] = report.trials[0]!.hosts[0]!.processes;
    assert.equal(process!.threads, 900);
    assert.equal(process!.threadsRead, 255);
    assert.match(formatterFor('text')(report, {}).replace(/\s+/g, ' '), /is known of 255 of 900 at a time/);
  });

  test('its link: on the wire, with framing, and the share of its speed', async () => {
    const { hosts, wire } = await trialWith([observer, facts, ...seconds(second(0), second(1))]);
    const [eth0, ...others] = hosts[0]!.interfaces;
    assert.deepEqual(others, []);
    assert.equal(eth0!.onPath, true);
    assert.deepEqual(eth0!.bytes, { received: 132_000, sent: 3_028_000 });
    assert.deepEqual(eth0!.drops, { received: 0, sent: 2 });
    assert.equal(eth0!.sentBits.mean, 8 * 1_000 * 1_538);
    assert.equal(eth0!.receivedBits.mean, 8 * 1_000 * 90);
    assert.ok(Math.abs(eth0!.sentShare!.mean - 0.12304) < 1e-9);
    assert.deepEqual(wire!.links, [
      {
        host: 'srv-obs',
        role: 'observer',
        interface: 'eth0',
        receivedBits: 720_000,
        sentBits: 12_304_000,
        speedBitsPerSecond: 1e8,
        share: 0.12304,
      },
    ]);
  });

  test('the ceiling of that link for this load', async () => {
    const { wire, summary } = await trialWith([observer, facts, ...seconds(second(0), second(1))]);
    const { ceiling, perRequest } = wire!;
    assert.equal(ceiling!.link, 'eth0 of srv-obs');
    assert.equal(perRequest.body, 4_096);
    assert.ok(Math.abs(perRequest.head - 241) < 1e-9);
    // 4337 bytes in 3 segments of 90, and 3 / 297 of a connection of 278.
    const bytes = 4_337 + 3 * 90 + (3 / 297) * 278;
    assert.ok(Math.abs(ceiling!.requestRate - 1e8 / 8 / bytes) < 0.01, String(ceiling!.requestRate));
    assert.ok(Math.abs(ceiling!.reached - summary.requestRate / ceiling!.requestRate) < 1e-12);
  });
});

describe('what people read of hosts', () => {
  const records = [observer, facts, ...seconds(second(0), second(1))];
  const printed = async (format: string, more: HostJournalRecord[] = []) =>
    formatterFor(format)(await buildReport(journalWith([...records, ...more])), { width: 100 });

  for (const format of ['text', 'md', 'html']) {
    test(`${format} shows host, process, link and ceiling`, async () => {
      const text = (await printed(format)).replaceAll(/<[^>]+>|\*\*/g, ' ').replaceAll(/[\s|]+/g, ' ');
      for (const expected of [
        /srv-obs 50 % 20 % 30 % 10 %/,
        /nginx srv-obs 0\.20 0\.30 0\.50 9\.54 MiB 2\/2 20 of 1024/,
        /gone srv-obs not there/,
        /eth0 srv-obs observer 0\.72 12\.30 100 Mbit\/s 12 %/,
        /On the wire :? ?[\d.]+ Mbit\/s = [\d.]+ bodies \+ [\d.]+ heads \+ [\d.]+ IP and TCP \+ [\d.]+ Ethernet/,
        /Ceiling :? ?27\d\d\.\d\/s .*100 Mbit\/s of eth0 of srv-obs/,
      ])
        assert.match(text, expected);
    });
  }

  test('no line is wider than the terminal', async () => {
    const report = await buildReport(journalWith(records));
    for (const width of [80, 100])
      for (const line of formatterFor('text')(report, { width }).split('\n'))
        assert.ok([...line].length <= width, `${width}: ${line}`);
  });

  test('a host that vanished is said, with when and why', async () => {
    const lost: HostJournalRecord = {
      type: 'host-lost',
      trial: 0,
      host: 'srv-obs',
      atUs: 1_200_000,
      reason: 'not heard of for 8 s',
    };
    assert.match(
      await printed('text', [lost]),
      /HOST LOST +observer srv-obs at 1\.20 s: not heard of for 8 s/,
    );
  });

  test('a host that cannot be sampled says why', async () => {
    const mac: HostFacts = {
      ...FACTS,
      unavailable: 'not available on darwin: only Linux tells',
      processes: [],
    };
    const trial = journalWith([observer, { type: 'host-facts', trial: 0, host: 'srv-obs', facts: mac }]);
    assert.match(
      formatterFor('text')(await buildReport(trial), {}),
      /Host +observer srv-obs: not available on darwin/,
    );
  });

  test('csv has its columns, with their units', async () => {
    const [head, row] = (await printed('csv')).split('\r\n').map((line) => line.split(','));
    const value = (name: string) => Number(row![head!.indexOf(name)]);
    assert.equal(value('host.srv-obs.cpu_busy_share'), 0.5);
    assert.equal(value('host.srv-obs.sent_wire_bits_per_s'), 12_304_000);
    assert.equal(value('host.srv-obs.process.nginx.system_cores'), 0.3);
    assert.ok(value('ceiling_requests_per_s') > 2_000);
  });
});
