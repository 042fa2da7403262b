import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hookFailure, runHookCommand } from '../../coordinator/hook-command.ts';
import { isRunning } from '../support/processes.ts';

const run = (command: string, timeoutMs = 10_000, signal?: AbortSignal) =>
  runHookCommand(command, { env: { PATH: process.env.PATH, A: 'b' }, timeoutMs, ...(signal && { signal }) });

async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 100 && isRunning(pid); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  return !isRunning(pid);
}

test('a command is for a shell, and stdout and stderr are kept as they came', async () => {
  const result = await run('echo "$A"; echo c >&2; echo d | tr d e');
  assert.equal(result.output, 'b\nc\ne\n');
  assert.equal(result.exitCode, 0);
  assert.equal(hookFailure(result), undefined);
});

describe('failures', () => {
  const cases: [that: string, command: string, failure: string][] = [
    ['an exit code', 'exit 7', 'exit 7'],
    ['a program that there is not', 'no-such-program-here', 'exit 127'],
    ['a signal', 'kill -9 $$', 'was ended by SIGKILL'],
  ];
  for (const [that, command, failure] of cases) {
    test(that, async () => assert.equal(hookFailure(await run(command)), failure));
  }
});

test('of much output the end is kept, and how much came before', async () => {
  const result = await run('yes | head -c 1000000; echo; echo the end');
  assert.ok(result.output.endsWith('\nthe end\n'));
  assert.equal(Buffer.byteLength(result.output), 16 * 1024);
  assert.equal(result.outputDropped + 16 * 1024, 1_000_000 + 9);
});

test('when its time is up, all that it has started is ended, even what ignores SIGTERM', async () => {
  const result = await run('sh -c "trap \'\' TERM; echo \\$\\$; while :; do sleep 1; done" & wait', 300);
  assert.equal(hookFailure(result), 'took longer than 0.3 s');
  assert.ok(result.durationUs < 5e6);
  assert.ok(await gone(Number(result.output.trim())));
});

test('a run that is cancelled ends it', async () => {
  const cancel = new AbortController();
  const running = run('sleep 60', 60_000, cancel.signal);
  cancel.abort(new Error('cancelled by the user'));
  assert.equal(hookFailure(await running), 'cancelled by the user');
});

test('what it leaves in the background lives on, and does not hold it up', async () => {
  const result = await run('sh -c "sleep 1; echo more; sleep 60" & echo $!');
  const pid = Number(result.output.trim());
  assert.equal(result.exitCode, 0);
  assert.ok(result.durationUs < 900_000);
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  assert.ok(isRunning(pid), 'it died of a broken pipe');
  process.kill(pid);
});
