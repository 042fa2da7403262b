/** The scenario of DESIGN, which the tests change in one place at a time. */
export const FULL_SCENARIO = `name: static files by connector
targets: { httpd: "http://10.0.0.5:8080", nio: "http://10.0.0.5:8081" }
sweep:
  target: [httpd, nio]
  size: [4KiB, 64KiB, 1MiB]
  connections: [1, 40]
request: { method: GET, path: "/\${size}.bin", headers: {}, timeout: 10s, expect: { status: 200 } }
load: { executor: constant-connections, connections: "\${connections}", duration: 30s, keepAlive: true }
warmup: { duration: 5s }
rounds: 5
workers: { count: 2, pool: default }
thresholds: [ "p(99) < 200ms", "errors < 1%", { that: "requestRate > 1000", abort: true, after: 10s } ]
onWorkerLoss: abort
report: { rows: size, columns: target, metric: transferRate, unit: KiB/s, baseline: httpd }
`;

/** The least that is a scenario. */
export const LEAST_SCENARIO = `targets: { web: "http://127.0.0.1:8080" }
load: { executor: constant-connections, requests: 10 }
`;
