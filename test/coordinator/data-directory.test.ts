import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { newToken } from '../../coordinator/access.ts';
import { DataDirectory, isAlive, isRunId, newRunId } from '../../coordinator/data-directory.ts';
import { temporaryDirectory } from '../support/lab.ts';

/** The process id of one that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  return child.pid!;
}

/** The process id of one that lives, and is not this one. */
async function living(t: TestContext): Promise<number> {
  const child = spawn('sleep', ['60']);
  t.after(() => child.kill());
  await once(child, 'spawn');
  return child.pid!;
}

describe('DataDirectory', () => {
  test('is made with all above it, and is nobody else’s to read', async (t) => {
    const root = path.join(await temporaryDirectory(t), 'a/b');
    const data = await DataDirectory.open(root);
    assert.equal((await stat(data.runs)).mode & 0o777, 0o700);
    await DataDirectory.open(root);
  });

  test('one that cannot be written to is said to be so', async (t) => {
    const file = path.join(await temporaryDirectory(t), 'file');
    await writeFile(file, '');
    await assert.rejects(DataDirectory.open(path.join(file, 'x')), {
      code: 'DATA_DIR_UNUSABLE',
      message: /cannot be written to/,
    });
  });

  test('is one coordinator’s at a time', async (t) => {
    const data = await DataDirectory.open(await temporaryDirectory(t));
    const unlock = await data.lock();
    const lock = path.join(data.root, 'coordinator.lock');
    const [pid, boot] = (await readFile(lock, 'utf8')).split('\n');
    assert.equal(pid, String(process.pid));
    await unlock();
    const other = await living(t);
    await writeFile(lock, `${other}\n${boot}\n`);
    await assert.rejects(data.lock(), {
      code: 'DATA_DIR_LOCKED',
      message: new RegExp(`process id ${other}$`),
    });
  });

  test('a lock of before the machine was booted is taken over, whoever has its process id now', async (t) => {
    const data = await DataDirectory.open(await temporaryDirectory(t));
    await writeFile(path.join(data.root, 'coordinator.lock'), `${await living(t)}\n${randomUUID()}\n`);
    const unlock = await data.lock();
    await unlock();
  });

  for (const [sentence, content] of [
    ['of a process that has ended', deadPid],
    ['of an earlier process with the own id, as in a container', () => Promise.resolve(process.pid)],
    ['without a process id', () => Promise.resolve('')],
    ['with something else in it', () => Promise.resolve('-1 x')],
  ] as const) {
    test(`a lock ${sentence} is taken over`, async (t) => {
      const data = await DataDirectory.open(await temporaryDirectory(t));
      await writeFile(path.join(data.root, 'coordinator.lock'), `${await content()}\n`);
      const unlock = await data.lock();
      await unlock();
      assert.deepEqual(await readFile(path.join(data.root, 'coordinator.lock')).catch(() => 'gone'), 'gone');
    });
  }

  test('its lab id stays the same, and a damaged one is replaced', async (t) => {
    const data = await DataDirectory.open(await temporaryDirectory(t));
    const id = await data.labId();
    assert.equal(await data.labId(), id);
    await writeFile(path.join(data.root, 'lab-id'), id.slice(0, 7));
    const other = await data.labId();
    assert.notEqual(other, id);
    assert.equal(await data.labId(), other);
  });

  test('a token that was made is kept for the next coordinator, readable for nobody else; a damaged one is replaced', async (t) => {
    const data = await DataDirectory.open(await temporaryDirectory(t));
    const token = await data.keptToken(newToken);
    const file = path.join(data.root, 'token');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const again = await DataDirectory.open(data.root);
    assert.equal(await again.keptToken(() => assert.fail('it is known')), token);
    await writeFile(file, token.slice(0, 7));
    const other = await data.keptToken(newToken);
    assert.notEqual(other, token);
    assert.equal(await data.keptToken(newToken), other);
  });
});

test('run ids sort by time, and nothing else is one', () => {
  const early = newRunId(new Date('2009-02-14T23:31:30Z'));
  assert.match(early, /^20090214-233130-[0-9a-f]{4}$/);
  assert.ok(early < newRunId(new Date('2009-02-14T23:31:31Z')));
  assert.ok(isRunId(early));
  for (const text of [
    '',
    '..',
    `../${early}`,
    `${early}/..`,
    `${early}\n`,
    early.toUpperCase().replace(/\d$/, 'F'),
    early.slice(1),
  ]) {
    assert.ok(!isRunId(text), JSON.stringify(text));
  }
});

test('isAlive: of this process, and of none', async () => {
  assert.equal(isAlive(process.pid), true);
  assert.equal(isAlive(await deadPid()), false);
  for (const none of [0, -1, Number.NaN, 1.5])
    assert.equal(isAlive(none), false, 'no signal to a group of processes');
});
