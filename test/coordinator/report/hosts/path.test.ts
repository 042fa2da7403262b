import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pathOf } from '../../../../coordinator/report/hosts/path.ts';
import type { HostFacts, InterfaceFacts } from '../../../../shared/metrics/host-second.ts';

const one = (name: string, address: string, more: Partial<InterfaceFacts> = {}): InterfaceFacts => ({
  name,
  addresses: [address],
  ...more,
});
const lo = one('lo', '127.0.0.1');
const eth0 = one('eth0', '10.0.0.5');
const eth1 = one('eth1', '10.1.0.5');
const facts = (...interfaces: InterfaceFacts[]): HostFacts => ({
  hostname: 'h',
  machine: 'this',
  cores: 2,
  interfaces,
  processes: [],
});
const way = (name: InterfaceFacts) => ({ ...name, toTarget: true });

describe('the interfaces that the load goes over', () => {
  const rows: [that: string, got: string[], names: string[]][] = [
    [
      "a worker's way to the target",
      pathOf(facts(lo, way(eth0), eth1), 'worker', ['10.0.0.9'], ['this']),
      ['eth0'],
    ],
    [
      "the target's own: the one with its address, though its own way there is loopback",
      pathOf(facts(way(lo), eth0, eth1), 'observer', ['10.1.0.5'], ['another']),
      ['eth1'],
    ],
    [
      'a target with two addresses that were both used',
      pathOf(facts(way(lo), eth0, eth1), 'observer', ['10.1.0.5', '10.0.0.5'], ['another']),
      ['eth0', 'eth1'],
    ],
    [
      'workers on the machine of the target: loopback, whatever the address',
      pathOf(facts(way(lo), eth0), 'observer', ['10.0.0.5'], ['this', 'this']),
      ['lo'],
    ],
    [
      'some workers there, some elsewhere: the one with the address',
      pathOf(facts(way(lo), eth0), 'observer', ['10.0.0.5'], ['this', 'another']),
      ['eth0'],
    ],
    [
      'a host behind the target: its way there',
      pathOf(facts(lo, eth0, way(eth1)), 'observer', ['10.1.0.9'], ['another']),
      ['eth1'],
    ],
    [
      'what the operator named, before all else',
      pathOf(facts(way(lo), eth0, { ...eth1, chosen: true }), 'observer', ['10.0.0.5'], ['another']),
      ['eth1'],
    ],
    ['none where nothing is known', pathOf(facts(lo, eth0), 'observer', ['10.9.9.9'], ['another']), []],
  ];
  for (const [that, got, names] of rows) test(that, () => assert.deepEqual(got, names));
});
