// Visitors that look at the front page and send something: a k6 script, which runs on all workers as one test.
import { check, group, sleep } from 'k6';
import { SharedArray } from 'k6/data';
import http from 'k6/http';
import { Trend } from 'k6/metrics';

const greetings = new SharedArray('greetings', () => JSON.parse(open('./k6-visitors.json')));
const answered = new Trend('answered', true);

export const options = {
  scenarios: {
    visitors: {
      executor: 'constant-arrival-rate',
      rate: 50,
      timeUnit: '1s',
      duration: '5s',
      preAllocatedVUs: 20,
    },
  },
  thresholds: {
    http_req_failed: ['rate < 0.01'],
    'http_req_duration{group:::sends}': ['p(95) < 500'],
  },
};

// Once, whatever the number of workers; what it returns is given to every virtual user of every worker.
export function setup() {
  return { begun: new Date().toISOString() };
}

export default function (data) {
  group('looks', () => {
    check(http.get(`${__ENV.TARGET_URL}/`), { 'is there': ({ status }) => status === 200 });
  });
  group('sends', () => {
    const body = `${greetings[__ITER % greetings.length]}, since ${data.begun}`;
    const reply = http.post(`${__ENV.TARGET_URL}/echo`, body);
    answered.add(reply.timings.duration);
    check(reply, { 'comes back': (r) => r.body === body });
  });
  sleep(Number(__ENV.PAUSE));
}
