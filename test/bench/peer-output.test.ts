import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Outcome, readAb, readAutocannon, readH2load, readHey, readK6, readWrk } from './peer-output.ts';

const WRK = `Running 1s test @ http://127.0.0.1:18099/25.binx
  1 threads and 4 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   178.62us  254.46us   4.23ms   98.49%
    Req/Sec    25.59k     3.91k   30.44k    54.55%
  27954 requests in 1.10s, 8.21MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 954
Requests/sec:  25411.53
Transfer/sec:      7.46MB
`;

const AB = `Concurrency Level:      16
Time taken for tests:   1.000 seconds
Complete requests:      31489
Failed requests:        3
   (Connect: 0, Receive: 0, Length: 3, Exceptions: 0)
Non-2xx responses:      486
Keep-Alive requests:    31489
Requests per second:    31488.18 [#/sec] (mean)
`;

const H2LOAD = `finished in 3.00s, 14623.33 req/s, 3.65MB/s
requests: 43870 total, 43886 started, 43870 done, 43865 succeeded, 5 failed, 0 errored, 2 timeout
status codes: 43860 2xx, 0 3xx, 5 4xx, 0 5xx
`;

const HEY = `
Summary:
  Total:\t3.0014 secs
  Slowest:\t0.0171 secs

Response time histogram:
  0.000 [1]\t|
  0.002 [14055]\t|■■■■

Status code distribution:
  [200]\t23730 responses
  [404]\t20 responses

Error distribution:
  [7]\tGet "http://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused
`;

const AUTOCANNON = JSON.stringify({ duration: 3.07, errors: 2, timeouts: 1, non2xx: 4, '2xx': 21884 });

const K6 = JSON.stringify({
  metrics: {
    http_reqs: { count: 3000, rate: 1000 },
    http_req_failed: { passes: 10, fails: 2990, value: 0.0033 },
  },
});

describe('what peers print', () => {
  const rows: [peer: string, read: (text: string) => Outcome, output: string, outcome: Outcome][] = [
    ['wrk, with errors', readWrk, WRK, { requests: 27_000, seconds: 1.1, failed: 964 }],
    [
      'wrk, without errors and over a minute',
      readWrk,
      '  7 requests in 1.50m, 8.21MB read\n',
      { requests: 7, seconds: 90, failed: 0 },
    ],
    ['ab', readAb, AB, { requests: 31_000, seconds: 1, failed: 489 }],
    ['h2load', readH2load, H2LOAD, { requests: 43_860, seconds: 3, failed: 12 }],
    ['hey', readHey, HEY, { requests: 23_730, seconds: 3.0014, failed: 27 }],
    ['autocannon', readAutocannon, AUTOCANNON, { requests: 21_884, seconds: 3.07, failed: 6 }],
    ['k6', readK6, K6, { requests: 2_990, seconds: 3, failed: 10 }],
  ];
  for (const [peer, read, output, outcome] of rows) {
    test(peer, () => assert.deepEqual(read(output), outcome));
  }

  test('an output of another form is refused, with its text', () => {
    assert.throws(() => readAb('ab: command line error'), /command line error/);
  });
});
