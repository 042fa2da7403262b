import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  formatDuration,
  formatSize,
  parseDuration,
  parseRate,
  parseSize,
} from '../../../shared/domain/units.ts';

const DURATIONS: [text: string, us: number | undefined, sentence: string][] = [
  ['10s', 10_000_000, 'seconds'],
  ['250ms', 250_000, 'milliseconds'],
  ['7us', 7, 'microseconds in ASCII'],
  ['7µs', 7, 'microseconds in print'],
  ['2m', 120_000_000, 'm is minutes'],
  ['2min', 120_000_000, 'min is minutes too'],
  ['1h', 3_600_000_000, 'hours'],
  ['1m30s', 90_000_000, 'parts add up'],
  ['1h2m3s4ms5us', 3_723_004_005, 'any number of parts'],
  ['1.5s', 1_500_000, 'fractions'],
  ['250 ms', 250_000, 'as formatDuration writes it'],
  ['0s', 0, 'zero is a duration; whoever needs more says so'],
  ['', undefined, 'nothing'],
  ['   ', undefined, 'blanks'],
  ['10', undefined, 'no unit'],
  ['s', undefined, 'no number'],
  ['10 parsecs', undefined, 'no unit of time'],
  ['10s!', undefined, 'something after it'],
  ['-10s', undefined, 'negative'],
  ['1e3s', undefined, 'exponents'],
  ['.5s', undefined, 'no digit before the point'],
  ['1,5s', undefined, 'a decimal comma'],
  ['10S', undefined, 'units are case-sensitive'],
];

const SIZES: [text: string, bytes: number | undefined, sentence: string][] = [
  ['0B', 0, 'empty'],
  ['512B', 512, 'bytes'],
  ['4KiB', 4096, 'binary'],
  ['1.5 MiB', 1_572_864, 'fractions, with a blank'],
  ['2GiB', 2_147_483_648, 'beyond 31 bits'],
  ['1kB', 1000, 'decimal'],
  ['1KB', 1000, 'decimal in capitals'],
  ['3MB', 3_000_000, 'decimal millions'],
  ['1GB', 1_000_000_000, 'decimal billions'],
  ['4', undefined, 'no unit'],
  ['4K', undefined, 'half a unit'],
  ['4kib', undefined, 'units are case-sensitive'],
  ['-4KiB', undefined, 'negative'],
  ['4KiB4B', undefined, 'sizes have one part'],
];

const RATES: [text: string, perSecond: number | undefined, sentence: string][] = [
  ['1500/s', 1500, 'a second'],
  ['90/m', 1.5, 'a minute'],
  ['90 / min', 1.5, 'with blanks'],
  ['7200/h', 2, 'an hour'],
  ['0.5/s', 0.5, 'fractions'],
  ['1500', undefined, 'no unit'],
  ['1500/ms', undefined, 'no such unit'],
  ['/s', undefined, 'no number'],
];

describe('units', () => {
  for (const [text, us, sentence] of DURATIONS) {
    test(`duration ${JSON.stringify(text)}: ${sentence}`, () => assert.equal(parseDuration(text), us));
  }
  for (const [text, bytes, sentence] of SIZES) {
    test(`size ${JSON.stringify(text)}: ${sentence}`, () => assert.equal(parseSize(text), bytes));
  }
  for (const [text, perSecond, sentence] of RATES) {
    test(`rate ${JSON.stringify(text)}: ${sentence}`, () => {
      const rate = parseRate(text);
      assert.ok(rate === perSecond || Math.abs(rate! - perSecond!) < 1e-12, String(rate));
    });
  }

  test('durations are written with the unit that suits', () => {
    const written = [
      0, 834, 999.4, 999.5, 13_300, 999_499, 999_500, 2_050_000, 119_000_000, 200_000_000, 5_400_000_000,
    ];
    assert.deepEqual(written.map(formatDuration), [
      '0 µs',
      '834 µs',
      '999 µs',
      '1.00 ms',
      '13.3 ms',
      '999 ms',
      '1.00 s',
      '2.05 s',
      '119 s',
      '3m20s',
      '1h30m',
    ]);
  });

  test('sizes are written with the unit that suits', () => {
    const written = [0, 1023, 1024, 17_613, 1_048_064, 1_127_428_915, 5 * 1024 ** 4, 5000 * 1024 ** 4];
    assert.deepEqual(written.map(formatSize), [
      '0 B',
      '1023 B',
      '1.00 KiB',
      '17.2 KiB',
      '1.00 MiB',
      '1.05 GiB',
      '5.00 TiB',
      '5000 TiB',
    ]);
  });

  test('what is written below two minutes is read back within half a percent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 119_000_000 }), (us) => {
        assert.ok(Math.abs(parseDuration(formatDuration(us))! - us) <= us * 0.005);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1024 ** 4 }), (bytes) => {
        assert.ok(Math.abs(parseSize(formatSize(bytes))! - bytes) <= bytes * 0.005);
      }),
    );
  });
});
