/** Framing by hand: every expected number can be added up from the header sizes that are named beside it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  bytesOn,
  ceilingOf,
  ETHERNET,
  replyCost,
  requestCost,
  segmentBytes,
  type WireLoad,
  type WireTerms,
  wireBits,
} from '../../../../coordinator/report/hosts/wire.ts';

const PLAIN: WireTerms = { ...ETHERNET, tcpTimestamps: false };
const load = (bodyBytes: number, more: Partial<WireLoad> = {}): WireLoad => ({
  bodyBytes,
  headBytes: 250,
  requestBytes: 100,
  connections: 0,
  ...more,
});

describe('a segment', () => {
  const rows: [that: string, terms: WireTerms, bytes: number][] = [
    ['IPv4 with timestamps: 1500 - 20 - 20 - 12', ETHERNET, 1448],
    ['IPv4 without: 1500 - 20 - 20', PLAIN, 1460],
    ['IPv6 with timestamps: 1500 - 40 - 20 - 12', { ...ETHERNET, ipv6: true }, 1428],
    ['jumbo frames: 9000 - 20 - 20 - 12', { ...ETHERNET, mtu: 9000 }, 8948],
  ];
  for (const [that, terms, bytes] of rows) test(that, () => assert.equal(segmentBytes(terms), bytes));
});

describe('what a reply takes of the wire', () => {
  const rows: [that: string, load: WireLoad, terms: WireTerms, tcpIp: number, ethernet: number][] = [
    ['one segment: 52 of headers, 38 of Ethernet', load(1024), ETHERNET, 52, 38],
    ['32 KiB + 250 are 23 segments', load(32768), ETHERNET, 23 * 52, 23 * 38],
    ['without timestamps too, with smaller headers', load(32768), PLAIN, 23 * 40, 23 * 38],
    [
      'a connection of its own: SYN-ACK (60), FIN and ACK (52 each) more',
      load(1024, { connections: 1 }),
      ETHERNET,
      52 + 60 + 52 + 52,
      4 * 38,
    ],
    [
      'short frames are padded: FIN and ACK have 40 of at least 46',
      load(1024, { connections: 1 }),
      PLAIN,
      40 + 60 + 40 + 40,
      4 * 38 + 2 * 6,
    ],
  ];
  for (const [that, one, terms, tcpIp, ethernet] of rows) {
    test(that, () => {
      const { bodyBytes: body, headBytes: head } = one;
      assert.deepEqual(replyCost(one, terms), { body, head, tcpIp, ethernet });
    });
  }

  test('its 23 segments are acknowledged by 12, the last with the next request', () => {
    assert.deepEqual(requestCost(load(32768), ETHERNET), {
      body: 0,
      head: 100,
      tcpIp: 52 + 11 * 52,
      ethernet: 12 * 38,
    });
  });
});

describe('361 requests a second of 32 KiB on 100 Mbit/s', () => {
  const bare = load(32768, { headBytes: 0 });
  const shares: [
    that: string,
    terms: WireTerms,
    of: (cost: ReturnType<typeof replyCost>) => number,
    share: number,
  ][] = [
    ['bodies alone are 94.6 % of the link', PLAIN, ({ body }) => body, 0.9464],
    ['with the headers of IP and TCP, 97.3 %', PLAIN, ({ body, tcpIp }) => body + tcpIp, 0.9729],
    ['with the frames of Ethernet too, 99.8 %: there is nothing left', PLAIN, bytesOn, 0.9981],
    ['with timestamps it would be more than the link can carry', ETHERNET, bytesOn, 1.0061],
  ];
  for (const [that, terms, of, share] of shares) {
    test(that, () => {
      const bits = 361 * 8 * of(replyCost(bare, terms));
      assert.ok(Math.abs(bits / 1e8 - share) < 0.0001, String(bits / 1e8));
    });
  }
});

describe('the ceiling of a link', () => {
  const rows: [
    that: string,
    load: WireLoad,
    terms: WireTerms,
    bits: number,
    rate: number,
    direction: string,
  ][] = [
    // 32768 + 23 × 78 = 34562 bytes of wire.
    ['32 KiB without heads: 1e8 / 8 / 34562', load(32768, { headBytes: 0 }), PLAIN, 1e8, 361.67, 'replies'],
    ['32 KiB with heads of 250: 1e8 / 8 / (33018 + 23 × 90)', load(32768), ETHERNET, 1e8, 356.24, 'replies'],
    // SYN-ACK 98, FIN 90 and ACK 90 more.
    ['a connection each: 278 bytes more', load(32768, { connections: 1 }), ETHERNET, 1e8, 353.45, 'replies'],
    ['ten times the link, ten times the rate', load(32768), ETHERNET, 1e9, 3562.4, 'replies'],
    // 25 + 250 + 90 against 1000 + 90.
    [
      'requests that are larger than their replies',
      load(25, { requestBytes: 1000 }),
      ETHERNET,
      1e8,
      11467.9,
      'requests',
    ],
  ];
  for (const [that, one, terms, bits, rate, direction] of rows) {
    test(that, () => {
      const ceiling = ceilingOf(one, terms, bits)!;
      assert.ok(Math.abs(ceiling.requestRate / rate - 1) < 1e-4, String(ceiling.requestRate));
      assert.equal(ceiling.direction, direction);
    });
  }

  test('nothing sent has none', () => {
    const nothing = { bodyBytes: 0, headBytes: 0, requestBytes: 0, connections: 0 };
    assert.equal(ceilingOf(nothing, ETHERNET, 1e8), undefined);
  });

  test('at the ceiling the fuller direction takes exactly the link; larger bodies never raise the rate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1 << 22 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (body, connections) => {
          const one = load(body, { connections });
          const { requestRate } = ceilingOf(one, ETHERNET, 1e8)!;
          const fuller = Math.max(bytesOn(replyCost(one, ETHERNET)), bytesOn(requestCost(one, ETHERNET)));
          assert.ok(Math.abs(requestRate * 8 * fuller - 1e8) < 1);
          assert.ok(ceilingOf(load(body + 1, { connections }), ETHERNET, 1e8)!.requestRate <= requestRate);
        },
      ),
    );
  });
});

describe('what an interface has counted, on the wire', () => {
  const full = 14 + 1500;
  const rows: [that: string, bytes: number, packets: number, bits: number][] = [
    ['nothing', 0, 0, 0],
    ['full frames: 24 more of each', 10 * full, 10, 8 * 10 * 1538],
    ['small ones too', 10 * 66, 10, 8 * 10 * 90],
    ['one of 64 KiB that a driver counted in one piece is 46 frames', 66 + 65_536, 1, 8 * (65_536 + 46 * 90)],
  ];
  for (const [that, bytes, packets, bits] of rows)
    test(that, () => assert.equal(wireBits({ bytes, packets }, ETHERNET), bits));
});
