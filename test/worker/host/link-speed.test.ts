import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseLinkSpeed, speedOf } from '../../../worker/host/link-speed.ts';

describe('a link speed', () => {
  const rows: [text: string, speed: ReturnType<typeof parseLinkSpeed>][] = [
    ['100mbit', { bitsPerSecond: 1e8 }],
    ['1gbit', { bitsPerSecond: 1e9 }],
    ['2.5Gbit/s', { bitsPerSecond: 2.5e9 }],
    ['512 kbit', { bitsPerSecond: 512_000 }],
    ['eth0=10mbit', { interface: 'eth0', bitsPerSecond: 1e7 }],
    ['100', undefined],
    ['100MB', undefined],
    ['100mbps', undefined],
    ['fast', undefined],
    ['0mbit', undefined],
    ['-1gbit', undefined],
    ['=1gbit', undefined],
    ['', undefined],
  ];
  for (const [text, speed] of rows) {
    test(`"${text}" is ${speed === undefined ? 'none' : JSON.stringify(speed)}`, () =>
      assert.deepEqual(parseLinkSpeed(text), speed));
  }

  const settings = ['100mbit', 'eth1=1gbit', '10mbit'].map((text) => parseLinkSpeed(text)!);
  const kinds: [
    that: string,
    name: string,
    kind: Parameters<typeof speedOf>[1],
    speed: number | undefined,
  ][] = [
    ['the last general one', 'eth0', { internal: false, chosen: false, chosenAny: false }, 1e7],
    ['its own one before a general one', 'eth1', { internal: false, chosen: false, chosenAny: false }, 1e9],
    ['loopback has none', 'lo', { internal: true, chosen: false, chosenAny: false }, undefined],
    ['loopback when it was chosen', 'lo', { internal: true, chosen: true, chosenAny: true }, 1e7],
    ['others were chosen', 'eth0', { internal: false, chosen: false, chosenAny: true }, undefined],
  ];
  for (const [that, name, kind, speed] of kinds)
    test(that, () => assert.equal(speedOf(name, kind, settings), speed));
});
