/** What a worker tells of the way to a target; its own limits are the system's. */
import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { createAllowList } from '../../shared/domain/allow-list.ts';
import { preflightFacts } from '../../worker/preflight.ts';

const ALLOWED = createAllowList(['127.0.0.0/8', '::1/128', '2001:db8::/32']);
const CONNECT_MS = 2_000;

const addressesOfMachine = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);
const hasIpv6 = addressesOfMachine.some(
  ({ family, internal, scopeid }) => family === 'IPv6' && !internal && scopeid === 0,
);

test('a target of another family than the local addresses is told, and not connected to', async () => {
  const { targets } = await preflightFacts(['http://[::1]:1/'], ALLOWED, ['127.0.0.1'], CONNECT_MS);
  assert.deepEqual(targets, [
    {
      url: 'http://[::1]:1/',
      addresses: ['::1'],
      noFamily: { family: 'IPv6', missing: 'local-address', others: [] },
    },
  ]);
});

test('an IPv6 target from a machine without IPv6 is told', {
  skip: hasIpv6 && 'this machine has an IPv6 address',
}, async () => {
  const { targets } = await preflightFacts(['http://[2001:db8::1]/'], ALLOWED, [], CONNECT_MS);
  assert.deepEqual(targets[0]!.noFamily, { family: 'IPv6', missing: 'route', others: [] });
  assert.match(targets[0]!.problem!, /ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT/);
});

test('a target that refuses is of no wrong family', async () => {
  const { targets } = await preflightFacts(['http://127.0.0.1:1/'], ALLOWED, ['127.0.0.1'], CONNECT_MS);
  assert.deepEqual([targets[0]!.addresses, targets[0]!.noFamily], [['127.0.0.1'], undefined]);
  assert.match(targets[0]!.problem!, /ECONNREFUSED/);
});
