import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { ProcessStat } from '../../../worker/host/process-stat.ts';
import { jiffiesBetween, readProcessChoice, treeOf } from '../../../worker/host/process-tree.ts';
import { ProcessWatch } from '../../../worker/host/process-watch.ts';

function process_(pid: number, parent: number, name: string, more: Partial<ProcessStat> = {}): ProcessStat {
  return {
    pid,
    parent,
    name,
    state: 'S',
    userJiffies: 0,
    systemJiffies: 0,
    childUserJiffies: 0,
    childSystemJiffies: 0,
    threads: 1,
    startJiffies: pid,
    residentPages: 1,
    ...more,
  };
}

describe('a chosen process', () => {
  const all = [
    process_(1, 0, 'init'),
    process_(10, 1, 'nginx'),
    process_(11, 10, 'nginx'),
    process_(12, 11, 'php-fpm'),
    process_(20, 1, 'java'),
    process_(21, 20, 'sh'),
    process_(30, 1, 'a-very-long-nam'),
  ];
  const rows: [that: string, choice: string, pids: number[]][] = [
    ['by name: all of that name and their children, each once', 'nginx', [10, 11, 12]],
    ['by pid: that one and its children', '20', [20, 21]],
    ['a name that the kernel has cut off at 15 characters', 'a-very-long-name-indeed', [30]],
    ['nobody', 'httpd', []],
  ];
  for (const [that, choice, pids] of rows) {
    test(that, () => {
      const found = treeOf(readProcessChoice(choice), all).map(({ pid }) => pid);
      assert.deepEqual(
        found.sort((a, b) => a - b),
        pids,
      );
    });
  }
});

describe('CPU time of a tree', () => {
  const rows: [that: string, before: ProcessStat[], now: ProcessStat[], user: number][] = [
    [
      'what each has used',
      [process_(1, 0, 'a', { userJiffies: 5 })],
      [process_(1, 0, 'a', { userJiffies: 9 })],
      4,
    ],
    [
      'a new child counts from its start',
      [process_(1, 0, 'a', { userJiffies: 5 })],
      [process_(1, 0, 'a', { userJiffies: 5 }), process_(2, 1, 'a', { userJiffies: 3 })],
      3,
    ],
    [
      'a child that ended: what it still used is in its parent, what was counted is not counted again',
      [process_(1, 0, 'a'), process_(2, 1, 'a', { userJiffies: 100 })],
      [process_(1, 0, 'a', { childUserJiffies: 107 })],
      7,
    ],
    [
      'a child that came and went unseen is in its parent',
      [process_(1, 0, 'a')],
      [process_(1, 0, 'a', { childUserJiffies: 6 })],
      6,
    ],
    [
      'a child that nobody waited for takes its last moment with it',
      [process_(1, 0, 'a'), process_(2, 1, 'a', { userJiffies: 100 })],
      [process_(1, 0, 'a', { userJiffies: 2 })],
      2,
    ],
    [
      'another process with the pid of one that ended is another',
      [process_(2, 1, 'a', { userJiffies: 100, startJiffies: 1 })],
      [process_(2, 1, 'a', { userJiffies: 4, startJiffies: 2 })],
      4,
    ],
  ];
  for (const [that, before, now, user] of rows) {
    test(that, () => assert.equal(jiffiesBetween(before, now).user, user));
  }
});

const LINUX_ONLY = process.platform === 'linux' ? false : 'only Linux has /proc';

describe('a watch on real processes', { skip: LINUX_ONLY }, () => {
  /** A parent with a child that computes for `ms` and ends, and then a word. */
  const WORK = `
    const { spawnSync } = require('node:child_process');
    process.on('message', () => {
      spawnSync(process.execPath, ['-e', 'const end = Date.now() + 300; while (Date.now() < end);']);
      process.send('done');
    });
    process.send('ready');
  `;

  test('sees what a child used that has ended by then, and a process that is gone', async () => {
    const child = spawn(process.execPath, ['-e', WORK], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    try {
      await once(child, 'message');
      const watch = new ProcessWatch([
        readProcessChoice(String(child.pid)),
        readProcessChoice('no-such-program'),
      ]);
      assert.deepEqual(watch.look(0), [], 'the first look has nothing to compare with');
      child.send('work');
      await once(child, 'message');
      const [seen, ...others] = watch.look(1_000_000);
      assert.deepEqual(others, []);
      assert.equal(seen!.name, String(child.pid));
      assert.equal(seen!.lengthUs, 1_000_000);
      // 300 ms of wall time, on a machine that may be busy with other things.
      assert.ok(seen!.userUs >= 50_000, `${seen!.userUs} µs`);
      assert.ok(seen!.userUs <= 600_000, `${seen!.userUs} µs`);
      assert.ok(seen!.residentBytes > 10_000_000);
      assert.ok(seen!.threads >= 2);
      assert.ok(seen!.descriptors!.open > 3 && seen!.descriptors!.limit >= seen!.descriptors!.open);
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      assert.deepEqual(watch.look(60_000_000), []);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
