import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BenchOptions, caseName, FlagError, readOptions } from './options.ts';

function casesFor(...args: string[]): string[] {
  const { cases } = readOptions(args) as BenchOptions;
  return cases.map((one) => `${caseName(one)}: ${one.peers.join(' ')}`);
}

describe('the flags of the bench', () => {
  test('by default the cases that the targets are about', () => {
    assert.deepEqual(casesFor(), [
      '25 B on 16 connections: wrk ab autocannon hey',
      '1 MiB on 16 connections: wrk',
      '25 B on 16 TLS connections: wrk autocannon',
    ]);
  });

  test('--tls makes all of it TLS', () => {
    assert.deepEqual(casesFor('--tls'), ['25 B on 16 TLS connections: wrk autocannon']);
    assert.deepEqual(casesFor('--tls', '--bodies', '4KiB', '--peers', 'wrk'), [
      '4 KiB on 16 TLS connections: wrk',
    ]);
  });

  test('--peers holds for the default cases too', () => {
    assert.deepEqual(casesFor('--peers', 'hey'), [
      '25 B on 16 connections: hey',
      '1 MiB on 16 connections: hey',
      '25 B on 16 TLS connections: hey',
    ]);
  });

  test('--bodies and --connections make every combination', () => {
    assert.deepEqual(casesFor('--bodies', '25B,32KiB', '--connections', '1,900', '--peers', 'wrk'), [
      '25 B on 1 connection: wrk',
      '25 B on 900 connections: wrk',
      '32 KiB on 1 connection: wrk',
      '32 KiB on 900 connections: wrk',
    ]);
  });

  test('--full is sixteen cases, and can be narrowed', () => {
    assert.equal(casesFor('--full').length, 16);
    assert.equal(casesFor('--full', '--bodies', '4KiB').length, 4);
  });

  const bad: [args: string[], message: RegExp][] = [
    [['--seconds', '0'], /--seconds: "0" is not a positive whole number/],
    [['--rounds', 'many'], /--rounds: "many"/],
    [['--bodies', '25'], /--bodies: "25" is not a size/],
    [['--connections', '1,-2'], /--connections: "-2"/],
    [['--peers', 'siege'], /--peers: "siege" is none of wrk, ab/],
    [['--fast'], /--fast/],
  ];
  for (const [args, message] of bad) {
    test(`${args.join(' ')} is refused`, () => {
      assert.throws(
        () => readOptions(args),
        (error) => error instanceof FlagError && message.test(error.message),
      );
    });
  }
});
