import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clock } from '../../../../shared/clock.ts';
import { type LoadWatch, watchLoad } from '../../../../worker/engine/k6/load-watch.ts';
import type { K6Status } from '../../../../worker/engine/k6/rest-client.ts';

const status = (vus: number, more: Partial<K6Status> = {}): K6Status => ({
  ready: false,
  ended: false,
  interrupted: false,
  vus,
  vusMax: 10,
  ...more,
});
const ENDED = { ended: true };

/** A load that began `beganUs` ago and answers so, one after another, the last answer again and again. */
function watched(answers: (K6Status | undefined)[], beganUs: number, more: Partial<LoadWatch> = {}) {
  const seconds: [second: number, vus: number, vusMax: number][] = [];
  let asked = 0;
  const watch: LoadWatch = {
    clock,
    rest: {
      status: async () => {
        const answer = answers[Math.min(asked++, answers.length - 1)];
        if (answer === undefined) throw new Error('no answer');
        return answer;
      },
    },
    startUs: clock.now() - beganUs,
    goesOn: () => true,
    hasExited: () => false,
    onSecond: (...second) => seconds.push(second),
    ...more,
  };
  return { seconds, asked: () => asked, end: watchLoad(watch) };
}

describe('a load that is watched', () => {
  test('each second has the VUs at its end, the last one the most that it had', async () => {
    const startUs = clock.now() - 980_000;
    const afterSecond0 = [status(3), status(5), status(7), status(2), status(0, ENDED)];
    const rest = {
      status: async () =>
        clock.now() < startUs + 1e6 ? status(9) : (afterSecond0.shift() ?? status(0, ENDED)),
    };
    const { seconds, end } = watched([], 0, { startUs, rest });
    const { aliveUs, endedUs, interrupted } = (await end)!;
    assert.deepEqual(seconds, [
      [0, 3, 10],
      [1, 7, 10],
    ]);
    assert.ok(endedUs > aliveUs);
    assert.equal(interrupted, false);
  });

  test('one that the script ended itself', async () => {
    const { end } = watched([status(1), status(0, { ended: true, interrupted: true })], 0);
    assert.equal((await end)!.interrupted, true);
  });

  test('two questions without an answer are no news, three in a row are', async () => {
    const heard = watched([undefined, undefined, status(1), undefined, undefined, status(0, ENDED)], 0);
    assert.ok((await heard.end) !== undefined);
    const dead = watched([status(1), undefined], 0);
    await assert.rejects(dead.end, /does not answer any more/);
    assert.equal(dead.asked(), 4);
  });

  test('of one that has exited, its exit says the rest: the watch goes on until it is ended', async () => {
    let left = 6;
    const { end } = watched([undefined], 0, { hasExited: () => true, goesOn: () => left-- > 0 });
    assert.equal(await end, undefined);
  });
});
