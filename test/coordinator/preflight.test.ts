import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Finding, judgePreflight, type WorkerPreflight } from '../../coordinator/preflight.ts';
import type { LoadPlan, ShardPlan } from '../../shared/domain/run.ts';
import type { PreflightFacts } from '../../shared/protocol/worker-facts.ts';

const CLOSED: LoadPlan = {
  executor: 'constant-connections',
  connections: 900,
  requests: 10_000,
  keepAlive: true,
};

const FACTS: PreflightFacts = {
  cores: 4,
  load: 0.1,
  fileDescriptors: { soft: 1024, hard: 4096, open: 30 },
  ephemeralPorts: { low: 32_768, high: 60_999 },
  timeWait: 3,
  timeWaitReuse: 2,
  targets: [{ url: 'http://10.0.0.5:8080', addresses: ['10.0.0.5'], connectUs: 310 }],
};

function judge(
  change: Partial<WorkerPreflight>,
  facts: Partial<PreflightFacts> = {},
  load: LoadPlan = CLOSED,
): Finding[] {
  return judgePreflight({
    worker: 'w1',
    facts: { ...FACTS, ...facts },
    clock: { offsetUs: -1_200, uncertaintyUs: 300 },
    threads: 3,
    shards: [{ load } as ShardPlan],
    ...change,
  });
}

function open(rate: number, keepAlive: boolean): LoadPlan {
  return {
    executor: 'constant-arrival-rate',
    rate,
    durationUs: 60e6,
    maxConnections: 100,
    maxWaitUs: 1e6,
    keepAlive,
    arrivals: 'even',
    seed: 1,
    stripe: { offset: 0, stride: 2 },
  } as LoadPlan;
}

describe('preflight', () => {
  test('a machine in order is good in every respect', () => {
    const findings = judge({});
    assert.deepEqual(
      findings.map(({ check, level }) => [check, level]),
      [
        ['file-descriptors', 'good'],
        ['ports', 'good'],
        ['target', 'good'],
        ['clock', 'good'],
        ['cores', 'good'],
      ],
    );
  });

  const rows: [
    sentence: string,
    findings: Finding[],
    check: Finding['check'],
    level: Finding['level'],
    message: RegExp,
    remedy?: RegExp,
  ][] = [
    [
      'more connections than descriptors, within the hard limit: ulimit mends it',
      judge({}, {}, { ...CLOSED, connections: 2_000 }),
      'file-descriptors',
      'error',
      /needs 2064 file descriptors, may open 1024/,
      /ulimit -n 2064/,
    ],
    [
      'over the hard limit too',
      judge({}, {}, { ...CLOSED, connections: 5_000 }),
      'file-descriptors',
      'error',
      /needs 5064/,
      /nofile 5064.*LimitNOFILE/,
    ],
    [
      'without keep-alive a connection that is being closed counts as well',
      judge({}, {}, { ...CLOSED, keepAlive: false }),
      'file-descriptors',
      'error',
      /needs 1864/,
    ],
    [
      'a system that does not tell',
      judge({}, { fileDescriptors: undefined as never }),
      'file-descriptors',
      'good',
      /does not tell/,
    ],
    [
      'more connections at once than ports',
      judge({}, { ephemeralPorts: { low: 50_000, high: 50_099 } }),
      'ports',
      'error',
      /900 connections at once, and 100 ports/,
      /ip_local_port_range/,
    ],
    [
      'new connections that come faster than ports are given back',
      judge({}, {}, open(2_000, false)),
      'ports',
      'warning',
      /1000 new connections a second.*28232 ports last for 470 a second/,
      /keepAlive: true/,
    ],
    [
      'the same rate from three local addresses',
      judge({}, { localAddresses: ['10.0.0.7', '10.0.0.8', '10.0.0.9'] }, open(2_000, false)),
      'ports',
      'good',
      /84696 ports/,
    ],
    [
      'the same rate on connections that are kept',
      judge({}, {}, open(2_000, true)),
      'ports',
      'good',
      /28232 ports/,
    ],
    [
      'ports that still rest from before',
      judge({}, { timeWait: 20_000 }),
      'ports',
      'warning',
      /20000 of 28232 ports rest in TIME_WAIT/,
      /wait a minute/,
    ],
    [
      'a target that is not reached',
      judge({}, { targets: [{ url: 'http://10.0.0.5:8080', problem: 'connect ECONNREFUSED' }] }),
      'target',
      'error',
      /10\.0\.0\.5:8080 is not reached: connect ECONNREFUSED/,
      /curl -v http:\/\/10\.0\.0\.5:8080\//,
    ],
    [
      'a target by IPv6 only, from a machine without a route for it',
      judge(
        {},
        {
          targets: [
            {
              url: 'http://six.lab:8080',
              addresses: ['2001:db8::5'],
              problem: 'connect ENETUNREACH',
              noFamily: { family: 'IPv6', missing: 'route', others: [] },
            },
          ],
        },
      ),
      'addresses',
      'error',
      /^six\.lab:8080 is loaded by IPv6 only \(2001:db8::5\), and this machine has no way out by IPv6$/,
      /name the target by an IPv4 address.*`ip -6 route`/,
    ],
    [
      'a target with both, from a machine with IPv6 alone',
      judge(
        {},
        {
          targets: [
            {
              url: 'http://both.lab',
              addresses: ['10.0.0.5'],
              problem: 'connect ENETUNREACH',
              noFamily: { family: 'IPv4', missing: 'route', others: ['fd00::5'] },
            },
          ],
        },
      ),
      'addresses',
      'error',
      /^both\.lab is loaded by IPv4 \(10\.0\.0\.5\)/,
      /name the target by its IPv6 address fd00::5/,
    ],
    [
      'local addresses of another family than the target',
      judge(
        {},
        {
          localAddresses: ['10.0.0.7'],
          targets: [
            {
              url: 'http://[fd00::5]',
              addresses: ['fd00::5'],
              noFamily: { family: 'IPv6', missing: 'local-address', others: [] },
            },
          ],
        },
      ),
      'addresses',
      'error',
      /none of this worker's local addresses \(10\.0\.0\.7\) is of that family/,
      /--local-address with an IPv6 address/,
    ],
    [
      'a clock known badly',
      judge({ clock: { offsetUs: 0, uncertaintyUs: 20_000 } }),
      'clock',
      'warning',
      /± 20\.0 ms/,
    ],
    [
      'more threads than cores',
      judge({ threads: 8 }),
      'cores',
      'warning',
      /8 load threads on 4 cores/,
      /--threads 3/,
    ],
    [
      'a machine that is busy already',
      judge({}, { load: 9 }),
      'cores',
      'warning',
      /load average 9\.00 on 4 cores/,
    ],
    ['a worker that does not answer', judge({ facts: undefined }), 'answer', 'warning', /did not answer/],
  ];
  for (const [sentence, findings, check, level, message, remedy] of rows) {
    test(sentence, () => {
      const finding = findings.find((one) => one.check === check)!;
      assert.equal(finding.level, level);
      assert.match(finding.message, message);
      if (remedy !== undefined) assert.match(finding.remedy ?? '', remedy);
    });
  }
});
