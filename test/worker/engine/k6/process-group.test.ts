import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessGroup } from '../../../../worker/engine/k6/process-group.ts';
import { isRunning } from '../../../support/processes.ts';

/** Prints the ids of itself and of a child, and both stay. */
const PARENT_AND_CHILD = ['-c', 'sleep 60 & echo $$ $!; wait'];

async function gone(pids: readonly number[], withinMs: number): Promise<boolean> {
  for (const until = Date.now() + withinMs; Date.now() < until; await sleep(10))
    if (!pids.some(isRunning)) return true;
  return false;
}

const idsOf = (chunk: unknown): number[] => String(chunk).trim().split(' ').map(Number);

function start(args: readonly string[], file = '/bin/sh'): ProcessGroup {
  return new ProcessGroup(file, args, process.env, '/');
}

test('it is the program, with its output, its code and its environment', async () => {
  const group = new ProcessGroup(
    '/bin/sh',
    ['-c', 'echo $A "$1"; echo no >&2; exit 7', 'x', 'b  c'],
    { A: 'a' },
    '/',
  );
  const [out, err]: string[] = ['', ''];
  const texts = { out, err };
  group.stdout.on('data', (text) => (texts.out += String(text)));
  group.stderr.on('data', (text) => (texts.err += String(text)));
  assert.deepEqual(await group.exited, { code: 7 });
  assert.deepEqual(texts, { out: 'a b  c\n', err: 'no\n' });
});

test('a program that is not there says so', async () => {
  const group = start([], '/nowhere/k6');
  let said = '';
  group.stderr.on('data', (text) => (said += String(text)));
  group.stdout.resume();
  assert.deepEqual(await group.exited, { code: 127 });
  assert.match(said, /\/nowhere\/k6/);
});

test('killed, its children go with it', async () => {
  const group = start(PARENT_AND_CHILD);
  const pids = idsOf((await once(group.stdout, 'data'))[0]);
  assert.equal(pids[0], group.pid);
  group.kill();
  assert.deepEqual(await group.exited, { signal: 'SIGKILL' });
  assert.ok(await gone(pids, 2_000), 'all of the group is gone');
});

test('what the program leaves behind goes with it', async () => {
  const group = start(['-c', 'sleep 60 >/dev/null 2>&1 & echo $!']);
  const [child] = idsOf((await once(group.stdout, 'data'))[0]);
  assert.deepEqual(await group.exited, { code: 0 });
  assert.ok(await gone([child!], 2_000));
});

test('the group dies with the process that started it, also when that is killed -9', async () => {
  const module = new URL('../../../../worker/engine/k6/process-group.js', import.meta.url).href;
  const source = `
    const { ProcessGroup } = await import(${JSON.stringify(module)});
    const group = new ProcessGroup('/bin/sh', ${JSON.stringify(PARENT_AND_CHILD)}, process.env, '/');
    group.stdout.pipe(process.stdout);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pids = idsOf((await once(owner.stdout, 'data'))[0]);
  assert.ok(pids.every(isRunning));
  owner.kill('SIGKILL');
  assert.ok(await gone(pids, 3_000), `${pids.filter(isRunning)} are still there`);
});

test('it is asked to end, then told, then killed', async () => {
  const willing = start(['-c', 'trap "exit 105" INT; echo; while :; do sleep 0.01; done']);
  await once(willing.stdout, 'data');
  await willing.end(5_000);
  assert.deepEqual(await willing.exited, { code: 105 });
  const deaf = start(['-c', 'trap "" INT TERM; echo; while :; do sleep 0.01; done']);
  await once(deaf.stdout, 'data');
  await deaf.end(50);
  assert.deepEqual(await deaf.exited, { signal: 'SIGKILL' });
  await deaf.end(50);
});
