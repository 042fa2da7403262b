import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from '../../coordinator/registry.ts';
import { WorkerSession } from '../../coordinator/worker-session.ts';
import type { K6Facts } from '../../shared/domain/k6-requirements.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';

const CAPABILITIES = {
  hostname: 'h',
  platform: 'linux x64',
  nodeVersion: '20',
  broadsideVersion: '0',
  cores: 2,
  memoryBytes: 1,
  engines: ['http'],
  addresses: [],
  threads: 1,
};

/** A worker whose socket goes nowhere; `measured` after its eight probes. */
function join(
  registry: Registry,
  name: string,
  {
    pool = 'default',
    connected = true,
    measured = true,
    k6,
  }: { pool?: string; connected?: boolean; measured?: boolean; k6?: K6Facts } = {},
): WorkerSession {
  const session = new WorkerSession({
    type: 'hello',
    protocol: PROTOCOL_VERSION,
    role: 'worker',
    name,
    pool,
    instance: name,
    capabilities: k6 === undefined ? CAPABILITIES : { ...CAPABILITIES, k6 },
    shards: [],
  });
  registry.set(session);
  const socket = { send: () => {}, terminate: () => {} } as never;
  session.attach(socket);
  for (let probe = 1; measured && probe <= 8; probe++) session.onClockAnswer(probe, 0, 0);
  if (!connected) session.detach(socket);
  if (session.connected && session.clockMeasured) registry.emit('available', session);
  return session;
}

const none = new AbortController().signal;
const namesOf = (sessions: WorkerSession[]): string[] => sessions.map(({ name }) => name);

describe('Registry.waitFor', () => {
  test('takes those that are there at once, by name, of the pool, connected, with their clock measured', async () => {
    const registry = new Registry();
    join(registry, 'c');
    join(registry, 'a');
    join(registry, 'b', { pool: 'other' });
    join(registry, 'd', { connected: false });
    join(registry, 'e', { measured: false });
    assert.deepEqual(namesOf(await registry.waitFor([{ pool: 'default' }], 0, none)), ['a', 'c']);
    assert.deepEqual(namesOf(await registry.waitFor([{ pool: 'default', count: 2 }], 0, none)), ['a', 'c']);
    assert.deepEqual(namesOf(await registry.waitFor([{ pool: 'other', count: 1 }], 0, none)), ['b']);
  });

  test('waits until there are enough, and not for those of another pool', async () => {
    const registry = new Registry();
    const found = registry.waitFor([{ pool: 'default', count: 2 }], 60_000, none);
    join(registry, 'a');
    join(registry, 'b', { pool: 'other' });
    join(registry, 'c');
    assert.deepEqual(namesOf(await found), ['a', 'c']);
    assert.equal(registry.listenerCount('available'), 0);
  });

  test('of workers for a script, those whose k6 will do; of the others it is said what they lack', async () => {
    const registry = new Registry();
    join(registry, 'a', { k6: { version: '1.8.1', extensions: ['k6/x/sql'] } });
    join(registry, 'b', { k6: { version: '1.8.1', extensions: [] } });
    join(registry, 'c');
    const needs = { version: '1.2', extensions: ['k6/x/sql'] };
    assert.deepEqual(namesOf(await registry.waitFor([{ pool: 'default' }], 0, none, needs)), ['a']);
    assert.deepEqual(namesOf(await registry.waitFor([{ pool: 'default', count: 2 }], 0, none, {})), [
      'a',
      'b',
    ]);
    await assert.rejects(registry.waitFor([{ pool: 'default', count: 2 }], 5, none, needs), {
      code: 'NO_WORKERS',
      message: /only a is there that can run the script; b lacks k6\/x\/sql; c lacks k6$/,
    });
  });

  for (const [there, wanted, says] of [
    [[], undefined, /needs 1 worker in pool default, and after 0\.005 s none is there$/],
    [['a'], 3, /needs 3 workers in pool default, and after 0\.005 s only a is there$/],
    [['b', 'a'], 3, /only a, b are there$/],
  ] as const) {
    test(`says who is missing: ${there.length} of ${wanted ?? 'any'}`, async () => {
      const registry = new Registry();
      for (const name of there) join(registry, name);
      await assert.rejects(
        registry.waitFor([{ pool: 'default', ...(wanted !== undefined && { count: wanted }) }], 5, none),
        {
          code: 'NO_WORKERS',
          message: says,
          hint: /worker start --coordinator/,
        },
      );
      assert.equal(registry.listenerCount('available'), 0);
    });
  }

  test('of several pools as many of each as it is to give, in turn, and waits for the last of them', async () => {
    const registry = new Registry();
    const pools = [
      { pool: 'a', count: 2 },
      { pool: 'b', count: 1 },
    ];
    for (const name of ['a1', 'a2', 'a3']) join(registry, name, { pool: 'a' });
    const found = registry.waitFor(pools, 60_000, none);
    join(registry, 'c1', { pool: 'c' });
    join(registry, 'b1', { pool: 'b' });
    assert.deepEqual(namesOf(await found), ['a1', 'b1', 'a2']);
  });

  test('of several pools it says of each that has too few who is missing', async () => {
    const registry = new Registry();
    join(registry, 'a1', { pool: 'a' });
    const pools = ['a', 'b', 'c'].map((pool) => ({ pool, count: 2 }));
    join(registry, 'b1', { pool: 'b' });
    join(registry, 'b2', { pool: 'b' });
    await assert.rejects(registry.waitFor(pools, 5, none), {
      message:
        /needs 2 workers in pool a, and after 0\.005 s only a1 is there; and 2 workers in pool c, .* none is there$/,
    });
  });

  test('gives up with the signal’s reason, before and while it waits', async () => {
    const registry = new Registry();
    await assert.rejects(
      registry.waitFor([{ pool: 'default', count: 1 }], 60_000, AbortSignal.abort(new Error('before'))),
      /before/,
    );
    const control = new AbortController();
    const waiting = registry.waitFor([{ pool: 'default', count: 1 }], 60_000, control.signal);
    control.abort(new Error('while'));
    await assert.rejects(waiting, /while/);
    assert.equal(registry.listenerCount('available'), 0);
  });

  test('an older session does not take a newer one of its name away', () => {
    const registry = new Registry();
    const old = join(registry, 'a');
    const fresh = join(registry, 'a');
    registry.delete(old);
    assert.equal(registry.get('a'), fresh);
    registry.delete(fresh);
    assert.equal(registry.get('a'), undefined);
  });
});
