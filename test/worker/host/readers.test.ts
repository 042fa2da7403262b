/** The readers of /proc and /sys: text in, plain data out. The texts are of Debian 12 where nothing else is said. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCpu, sharesBetween } from '../../../worker/host/cpu.ts';
import { carriedBetween, readInterfaces, readSpeed } from '../../../worker/host/interfaces.ts';
import { readMemory } from '../../../worker/host/memory.ts';
import {
  readFileLimit,
  readProcessStat,
  readSystemFiles,
  readSystemUnits,
} from '../../../worker/host/process-stat.ts';
import { readSockets, readTcp } from '../../../worker/host/tcp.ts';

const STAT = `cpu  1000 50 300 8000 40 5 15 90 700 0
cpu0 600 50 200 4000 30 5 10 60 700 0
cpu2 400 0 100 4000 10 0 5 30 0 0
intr 30978915 0 0 1 2 3
ctxt 74187579
btime 1796071842
processes 178208
procs_running 9
procs_blocked 2
softirq 139485696 0 992324 14
`;

describe('/proc/stat', () => {
  test('nice is user, interrupts are system; guests are in user already; a core that is off is missing', () => {
    const cpu = readCpu(STAT)!;
    assert.deepEqual(cpu.total, { user: 1050, system: 320, iowait: 40, steal: 90, idle: 8000 });
    assert.deepEqual([...cpu.cores.keys()], [0, 2]);
    assert.deepEqual(cpu.cores.get(2), { user: 400, system: 105, iowait: 10, steal: 30, idle: 4000 });
    assert.deepEqual([cpu.contextSwitches, cpu.runQueue, cpu.blocked], [74187579, 9, 2]);
  });

  test('a kernel that knows fewer kinds of time tells fewer', () => {
    assert.deepEqual(readCpu('cpu 10 1 3 100\n')!.total, {
      user: 11,
      system: 3,
      iowait: 0,
      steal: 0,
      idle: 100,
    });
  });

  test('what is no such file is not available', () => assert.equal(readCpu('MemTotal: 1 kB\n'), undefined));

  const times = { user: 100, system: 50, iowait: 20, steal: 0, idle: 830 };
  test('shares are of the time that passed', () => {
    const now = { user: 150, system: 60, iowait: 20, steal: 10, idle: 860 };
    assert.deepEqual(sharesBetween(times, now), {
      user: 0.5,
      system: 0.1,
      iowait: 0,
      steal: 0.1,
      idle: 0.3,
    });
  });
  test('a clock of iowait that goes back counts as standing still', () => {
    const now = { ...times, iowait: 15, user: 150, idle: 880 };
    assert.deepEqual(sharesBetween(times, now), { user: 0.5, system: 0, iowait: 0, steal: 0, idle: 0.5 });
  });
  test('where no time has passed there are no shares', () =>
    assert.equal(sharesBetween(times, times), undefined));
});

describe('/proc/meminfo', () => {
  test('in bytes', () => {
    const text =
      'MemTotal:       24683656 kB\nMemFree:  100 kB\nMemAvailable:   23560852 kB\nBuffers: 1 kB\n';
    assert.deepEqual(readMemory(text), { totalBytes: 24683656 * 1024, availableBytes: 23560852 * 1024 });
  });
  test('a kernel that does not tell what is available: at least what is free', () =>
    assert.deepEqual(readMemory('MemTotal: 10 kB\nMemFree: 4 kB\n'), {
      totalBytes: 10240,
      availableBytes: 4096,
    }));
  test('what is no such file is not available', () => assert.equal(readMemory('cpu 1 2'), undefined));
});

const DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 471664137449 140803262    0    0    0     0          0         0 471664137449 140803262    0    0    0     0       0          0
  eth0:957153399   30899    1    2    0     0          0         0  3112705   22719    3    4    0     0       0          0
eth0:1: 5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0
`;

describe('/proc/net/dev', () => {
  test('every interface, also where no space follows the colon, and with a colon in its name', () => {
    const found = readInterfaces(DEV);
    assert.deepEqual([...found.keys()], ['lo', 'eth0', 'eth0:1']);
    assert.deepEqual(found.get('eth0'), {
      receivedBytes: 957153399,
      sentBytes: 3112705,
      receivedPackets: 30899,
      sentPackets: 22719,
      receivedDrops: 2,
      sentDrops: 4,
    });
  });

  const counters = (bytes: number) => ({
    receivedBytes: bytes,
    sentBytes: bytes,
    receivedPackets: 1,
    sentPackets: 1,
    receivedDrops: 0,
    sentDrops: 0,
  });
  const carried = (before: Record<string, number>, now: Record<string, number>) => {
    const map = (all: Record<string, number>) =>
      new Map(Object.entries(all).map(([name, bytes]) => [name, counters(bytes)]));
    return carriedBetween(map(before), map(now)).map(({ name, receivedBytes }) => [name, receivedBytes]);
  };
  const rows: [
    that: string,
    before: Record<string, number>,
    now: Record<string, number>,
    carried: unknown,
  ][] = [
    ['differences', { a: 10, b: 5 }, { a: 25, b: 5 }, [['a', 15]]],
    ['an interface that is gone is gone', { a: 10, b: 5 }, { a: 11 }, [['a', 1]]],
    ['one that has come has nothing to compare with', { a: 10 }, { a: 11, b: 7 }, [['a', 1]]],
    ['a counter of 32 bits that wraps around goes on', { a: 2 ** 32 - 100 }, { a: 50 }, [['a', 150]]],
    ['one that was set back counts from 0', { a: 5_000 }, { a: 50 }, [['a', 50]]],
    ['a counter of 64 bits that was set back too', { a: 2 ** 40 }, { a: 50 }, [['a', 50]]],
  ];
  for (const [that, before, now, expected] of rows)
    test(that, () => assert.deepEqual(carried(before, now), expected));
});

describe('/sys/class/net/NAME/speed', () => {
  const device = { device: true, uevent: 'INTERFACE=eth0\nIFINDEX=4\n' };
  const rows: [that: string, text: string | undefined, behind: typeof device, speed: number | undefined][] = [
    ['Mbit/s of a card', '1000\n', device, 1e9],
    ['a driver that does not know', '-1\n', device, undefined],
    ['a link that is down cannot be read', undefined, device, undefined],
    ['veth says 10000 and means nothing', '10000\n', { device: false, uevent: 'INTERFACE=v\n' }, undefined],
    ['a vlan has the speed of its card', '2500\n', { device: false, uevent: 'DEVTYPE=vlan\n' }, 2.5e9],
    ['a bridge has none', '10000\n', { device: false, uevent: 'DEVTYPE=bridge\n' }, undefined],
  ];
  for (const [that, text, behind, speed] of rows)
    test(that, () => assert.equal(readSpeed(text, behind), speed));
});

const SNMP = `Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors
Tcp: 1 200 120000 -1 10 20 3 7 5 1000 2000 11 0 13 0
`;
const NETSTAT = `TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPHPHits
TcpExt: 0 4 6 99
IpExt: InNoRoutes
IpExt: 0
`;

describe('/proc/net/snmp and netstat', () => {
  test('by their names, wherever they stand', () => {
    assert.deepEqual(readTcp(SNMP, NETSTAT), {
      sentSegments: 2000,
      retransmits: 11,
      resets: 7,
      listenOverflows: 4,
      listenDrops: 6,
      established: 5,
    });
  });
  test('a kernel without netstat tells no overflows', () =>
    assert.equal(readTcp(SNMP, '').listenOverflows, 0));
});

describe('/proc/net/sockstat', () => {
  const text =
    'sockets: used 16\nTCP: inuse 7 orphan 2 tw 12 alloc 9 mem 227\nUDP: inuse 0 mem 0\nFRAG: inuse 0 memory 0\n';
  test('IPv6 sockets are counted in a file of their own', () => {
    assert.deepEqual(readSockets(text, 'TCP6: inuse 3\nUDP6: inuse 1\n', 5), {
      inUse: 10,
      established: 5,
      timeWait: 12,
      orphaned: 2,
    });
  });
  test('a host without IPv6', () => assert.equal(readSockets(text, undefined, 5)!.inUse, 7));
  test('what is no such file is not available', () => assert.equal(readSockets('', undefined, 0), undefined));
});

describe('processes', () => {
  const stat = (name: string) =>
    `4711 (${name}) S 1 4711 4711 0 -1 4194560 1 2 3 4 120 45 300 12 20 0 8 0 987654 1000000 2560 18446744073709551615 1 1 0`;
  for (const name of ['nginx', 'Web Content', 'a) R 1 (b']) {
    test(`the name ${name} does not shift the other fields`, () => {
      assert.deepEqual(readProcessStat(stat(name)), {
        pid: 4711,
        parent: 1,
        name,
        state: 'S',
        userJiffies: 120,
        systemJiffies: 45,
        childUserJiffies: 300,
        childSystemJiffies: 12,
        threads: 8,
        startJiffies: 987654,
        residentPages: 2560,
      });
    });
  }
  test('half a line is none', () => assert.equal(readProcessStat('4711 nginx'), undefined));
  test('the soft limit of open files', () => {
    const text =
      'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n';
    assert.equal(readFileLimit(text), 1024);
    assert.equal(
      readFileLimit('Max open files            unlimited            unlimited            files\n'),
      Number.MAX_SAFE_INTEGER,
    );
    assert.equal(readFileLimit(''), undefined);
  });
  test('open files of the whole system', () =>
    assert.deepEqual(readSystemFiles('606\t0\t2466174\n'), { open: 606, limit: 2466174 }));
  test('page size and jiffies, and what nearly every Linux has where it is not told', () => {
    const auxv = Buffer.alloc(48);
    for (const [i, value] of [6n, 16384n, 17n, 250n, 0n, 0n].entries()) auxv.writeBigUInt64LE(value, i * 8);
    assert.deepEqual(readSystemUnits(auxv), { pageBytes: 16384, jiffiesPerSecond: 250 });
    assert.deepEqual(readSystemUnits(undefined), { pageBytes: 4096, jiffiesPerSecond: 100 });
  });
});
