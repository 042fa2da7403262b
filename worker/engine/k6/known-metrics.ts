/** k6's own metrics, and what their values are: https://grafana.com/docs/k6/latest/using-k6/metrics/reference */
import type { MetricPart, ValueKind } from '../../../shared/metrics/script-interval.ts';

export interface MetricKind {
  type: MetricPart['type'];
  contains: ValueKind;
}

const TRENDS_OF_TIME = [
  'http_req_duration',
  'http_req_blocked',
  'http_req_connecting',
  'http_req_tls_handshaking',
  'http_req_sending',
  'http_req_waiting',
  'http_req_receiving',
  'iteration_duration',
  'group_duration',
  'ws_ping',
  'ws_session_duration',
  'ws_connecting',
  'grpc_req_duration',
];
const COUNTERS = [
  'iterations',
  'dropped_iterations',
  'http_reqs',
  'ws_sessions',
  'ws_msgs_sent',
  'ws_msgs_received',
];

export const KNOWN_METRICS: ReadonlyMap<string, MetricKind> = new Map<string, MetricKind>([
  ...TRENDS_OF_TIME.map((name): [string, MetricKind] => [name, { type: 'trend', contains: 'time' }]),
  ...COUNTERS.map((name): [string, MetricKind] => [name, { type: 'counter', contains: 'default' }]),
  ['data_sent', { type: 'counter', contains: 'data' }],
  ['data_received', { type: 'counter', contains: 'data' }],
  ['vus', { type: 'gauge', contains: 'default' }],
  ['vus_max', { type: 'gauge', contains: 'default' }],
  ['checks', { type: 'rate', contains: 'default' }],
  ['http_req_failed', { type: 'rate', contains: 'default' }],
]);
