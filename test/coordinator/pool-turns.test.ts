import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PoolTurns } from '../../coordinator/pool-turns.ts';

/** All that promises have to do about each other. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('PoolTurns', () => {
  test('one at a time on a pool, in the order in which they came, however long each takes and whoever gives up', async () => {
    const run = fc.record({
      pools: fc.shuffledSubarray(['a', 'b'], { minLength: 1 }),
      givesUpAfter: fc.option(fc.nat(20)),
      takes: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 15 }), async (runs) => {
        const turns = new PoolTurns();
        const busy = new Map<string, number>();
        const order: Record<string, number[]> = { a: [], b: [] };
        const gaveUp = new Set<number>();
        const all = runs.map(async ({ pools, givesUpAfter, takes }, i) => {
          const control = new AbortController();
          let waits = true;
          const giveUp = async (): Promise<void> => {
            for (let n = 0; n < givesUpAfter!; n++) await settled();
            if (waits) control.abort(new Error('gave up'));
          };
          if (givesUpAfter !== null) giveUp();
          let end: () => void;
          try {
            end = await turns.take(pools, control.signal);
          } catch {
            gaveUp.add(i);
            return;
          }
          waits = false;
          for (const pool of pools) {
            assert.equal(busy.get(pool), undefined, 'the pool is free');
            busy.set(pool, i);
            order[pool]!.push(i);
          }
          for (let n = 0; n < takes; n++) await settled();
          for (const pool of pools) busy.delete(pool);
          end();
        });
        await Promise.all(all);
        for (const pool of ['a', 'b']) {
          const expected = runs.flatMap((run, i) => (run.pools.includes(pool) && !gaveUp.has(i) ? [i] : []));
          assert.deepEqual(order[pool], expected);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('a pool does not wait for another', async () => {
    const turns = new PoolTurns();
    const { signal } = new AbortController();
    await turns.take(['a'], signal);
    await turns.take(['b'], signal);
  });

  test('whoever gives up hands its reason on and does not let the next one pass those before it', async () => {
    const turns = new PoolTurns();
    const none = new AbortController().signal;
    const end = await turns.take(['a'], none);
    const control = new AbortController();
    const second = turns.take(['a'], control.signal);
    let third = false;
    const waiting = turns.take(['a'], none).then(() => {
      third = true;
    });
    control.abort(new Error('cancelled by the user'));
    await assert.rejects(second, /cancelled by the user/);
    await settled();
    assert.equal(third, false);
    end();
    await waiting;
  });

  test('a signal that is aborted already takes no turn', async () => {
    const turns = new PoolTurns();
    const end = await turns.take(['a'], new AbortController().signal);
    await assert.rejects(turns.take(['a'], AbortSignal.abort(new Error('too late'))), /too late/);
    end();
    await turns.take(['a'], new AbortController().signal);
  });
});
