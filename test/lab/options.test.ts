import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FlagError, readOptions } from './options.ts';

describe('flags of npm run lab', () => {
  const good: [that: string, args: string[], options: Record<string, unknown>][] = [
    ['none: the small scenario', [], { workers: 2, bitsPerSecond: 100e6, scenario: 'scenarios/lab.yaml' }],
    ['a gigabit', ['--rate', '1gbit'], { bitsPerSecond: 1e9 }],
    ['a link that loses', ['--loss', '0.5%'], { loss: 0.005 }],
    ['a target by name', ['--target', 'tomcat-nio'], { target: 'tomcat-nio' }],
    ['to work in: nothing is run', ['--keep'], { keep: true, scenario: undefined }],
    ['to work in, after a scenario', ['--keep', '--scenario', 'a.yaml'], { keep: true, scenario: 'a.yaml' }],
    [
      'words for the run',
      ['--workers', '3', '--', '--format', 'json'],
      { workers: 3, words: ['--format', 'json'] },
    ],
  ];
  for (const [that, args, expected] of good) {
    test(that, () => {
      const options = readOptions(args);
      assert.ok(options !== 'help');
      assert.deepEqual({ ...options, ...expected }, options);
    });
  }

  const bad: [args: string[], message: RegExp][] = [
    [['--workers', '0'], /--workers: "0" is not a number from 1 to 244/],
    [['--workers', 'two'], /--workers: "two" is not a number/],
    [['--rate', '100'], /--rate: "100" is not a speed such as 100mbit or 1gbit/],
    [['--rate', '100MB/s'], /--rate: "100MB\/s" is not a speed/],
    [['--rate', 'eth0=1gbit'], /--rate: "eth0=1gbit" is not a speed/],
    [['--loss', '1'], /--loss: "1" is not a share such as 1% or 0.5%/],
    [['--loss', '100%'], /--loss: "100%" is not a share .* below 100%/],
    [['--target', 'iis'], /--target: "iis" is none of built-in, nginx, /],
    [['--shell'], /Unknown option '--shell'/],
    [['scenarios/lab.yaml'], /Unexpected argument/],
  ];
  for (const [args, message] of bad) {
    test(`${args.join(' ')} is refused`, () => {
      assert.throws(
        () => readOptions(args),
        (error: Error) => error instanceof FlagError && message.test(error.message),
      );
    });
  }
});
