import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAllowList } from '../../shared/domain/allow-list.ts';
import { resolveTarget } from '../../worker/target-addresses.ts';

describe('resolveTarget', () => {
  for (const [sentence, url, addresses] of [
    ['an address is itself', 'http://127.0.0.1:8080/x', ['127.0.0.1']],
    ['an IPv6 address loses its brackets', 'http://[::1]/', ['::1']],
    ['an address in a disguise is seen through', 'http://0x7f.1/', ['127.0.0.1']],
  ] as const) {
    test(sentence, async () => assert.deepEqual(await resolveTarget(url, createAllowList([])), addresses));
  }

  test('localhost resolves to loopback addresses only', async () => {
    const addresses = await resolveTarget('http://localhost/', createAllowList([]));
    assert.ok(addresses.length > 0);
    // All of one family, and IPv4 where there is any.
    const family = addresses[0] === '::1' ? ['::1'] : ['127.0.0.1'];
    assert.deepEqual(addresses, family);
  });

  for (const [sentence, url] of [
    ['the metadata service of clouds', 'http://169.254.169.254/latest/meta-data'],
    ['in decimal', 'http://2852039166/'],
    ['as mapped IPv6', 'http://[::ffff:169.254.169.254]/'],
    ['a public address', 'http://93.184.216.34/'],
  ] as const) {
    test(`${sentence} is refused, with what to do`, async () => {
      await assert.rejects(resolveTarget(url, createAllowList([])), {
        code: 'RUN_FAILED',
        errorClass: 'not-allowed',
        message: /not allowed: this worker loads only loopback and private addresses, and .* is at /,
        hint: /worker with --allow /,
      });
    });
  }

  test('a name that is not there is said to be so', async () => {
    await assert.rejects(resolveTarget('http://nowhere.invalid/', createAllowList([])), {
      code: 'RUN_FAILED',
      errorClass: 'dns',
      message: /the target's name nowhere\.invalid does not resolve here/,
    });
  });
});
