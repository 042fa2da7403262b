import { check, group } from 'k6';
import http from 'k6/http';
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

const waits = new Trend('page_wait', true);
const sizes = new Trend('page_size');
const logins = new Counter('logins');
const open = new Gauge('open_carts');
const fresh = new Rate('fresh');

export const options = {
  scenarios: {
    browse: { executor: 'shared-iterations', vus: 2, iterations: 6 },
    buy: { executor: 'per-vu-iterations', vus: 2, iterations: 2, exec: 'buy' },
  },
};

export function setup() {
  http.get(__ENV.TARGET_URL, { tags: { name: 'from setup' } });
  return { token: 'abc' };
}

export default function () {
  group('log in, then "look"', () => {
    const reply = http.get(`${__ENV.TARGET_URL}a,b?q="x"`, { tags: { kind: 'page', zone: 'a b' } });
    check(reply, { 'status is 200, "ok"': (r) => r.status === 200, 'is large': (r) => r.body.length > 1e6 });
    waits.add(reply.timings.waiting);
    sizes.add(reply.body.length - 30, { part: 'body' });
  });
  logins.add(1);
  open.add(__ITER);
}

export function buy() {
  http.get(`${__ENV.TARGET_URL}missing`, { tags: { name: 'line one\nline two' } });
  http.get('http://127.0.0.1:1/', { tags: { name: ' héllo ' } });
  fresh.add(__ITER % 2 === 0);
}

export function teardown() {
  http.get(__ENV.TARGET_URL, { tags: { name: 'from teardown' } });
}
