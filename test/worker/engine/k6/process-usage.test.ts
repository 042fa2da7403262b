import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { CpuSince, cpuUsOf, residentBytesOf } from '../../../../worker/engine/k6/process-usage.ts';

describe('a process', { skip: process.platform === 'linux' ? false : 'only Linux has /proc' }, () => {
  test('of this one it is what this one knows of itself', () => {
    const { user, system } = process.cpuUsage();
    assert.ok(Math.abs(cpuUsOf(process.pid)! - user - system) < 50_000);
    const resident = process.memoryUsage.rss();
    assert.ok(Math.abs(residentBytesOf(process.pid)! - resident) < resident / 2);
  });

  test('from one moment on, and what was seen last when it has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    const exited = once(child, 'exit');
    try {
      const cpu = new CpuSince(child.pid);
      let used = 0;
      for (const until = Date.now() + 5_000; used < 50_000 && Date.now() < until; used = cpu.used())
        await new Promise((resolve) => setTimeout(resolve, 10));
      assert.ok(used >= 50_000, `${used} µs`);
      child.kill('SIGKILL');
      await exited;
      assert.equal(cpuUsOf(child.pid!), undefined);
      assert.ok(cpu.used() >= used && used > 0);
      assert.equal(new CpuSince(undefined).used(), 0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
