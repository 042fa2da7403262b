import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redactForJournal, redactUrl } from '../../../shared/domain/redact.ts';
import type { TrialPlan } from '../../../shared/domain/run.ts';

const PLAN: TrialPlan = {
  index: 0,
  cell: {},
  round: 1,
  target: { name: 'web', url: 'http://user:hunter2@h:8080/app' },
  engine: 'http',
  requests: [
    {
      name: 'request',
      weight: 1,
      method: 'POST',
      url: 'http://user:hunter2@h:8080/app/x?page=2&access_token=hunter2&key=hunter2',
      headers: [
        ['Accept', '*/*'],
        ['authorization', 'Bearer hunter2'],
        ['Proxy-Authorization', 'Basic hunter2'],
        ['Cookie', 'sid=hunter2'],
        ['X-API-Key', 'hunter2'],
        ['X-Auth-Token', 'hunter2'],
        ['X-Amz-Security-Token', 'hunter2'],
        ['X-CSRF-Token', 'hunter2'],
      ],
      bodyBase64: Buffer.from('password=hunter2').toString('base64'),
      timeoutUs: 1,
      connectTimeoutUs: 1,
    },
  ],
  load: { executor: 'constant-connections', connections: 1, requests: 1, keepAlive: true },
  warmupUs: 0,
};

describe('redaction', () => {
  test('no secret is left anywhere, and the rest is as it was', () => {
    const before = structuredClone(PLAN);
    const redacted = redactForJournal(PLAN);
    const text = JSON.stringify(redacted);
    assert.ok(!text.includes('hunter2'), text);
    assert.ok(!text.includes(PLAN.requests[0]!.bodyBase64!));
    assert.equal(redacted.requests[0]!.bodyBase64, '[redacted, 16 bytes]');
    assert.deepEqual(redacted.requests[0]!.headers[0], ['Accept', '*/*']);
    assert.equal(redacted.requests[0]!.headers.length, PLAN.requests[0]!.headers.length);
    assert.equal(redacted.target.url, 'http://[redacted]@h:8080/app');
    assert.equal(
      redacted.requests[0]!.url,
      'http://[redacted]@h:8080/app/x?page=2&access_token=[redacted]&key=[redacted]',
    );
    assert.deepEqual({ ...redacted, target: 0, requests: 0 }, { ...PLAN, target: 0, requests: 0 });
    assert.deepEqual(PLAN, before, 'the plan itself is not touched');
  });

  test('a plan without a body stays without one', () => {
    const { bodyBase64, ...request } = PLAN.requests[0]!;
    assert.ok(!('bodyBase64' in redactForJournal({ ...PLAN, requests: [request] }).requests[0]!));
  });

  const URLS: [url: string, redacted: string][] = [
    ['http://h/a?b=c', 'http://h/a?b=c'],
    ['http://h/a@b?c=d', 'http://h/a@b?c=d'],
    ['http://a@b@h/x', 'http://[redacted]@h/x'],
    ['http://h/?token=', 'http://h/?token=[redacted]'],
    ['/path?password=x', '/path?password=[redacted]'],
  ];
  for (const [url, redacted] of URLS) test(url, () => assert.equal(redactUrl(url), redacted));
});
