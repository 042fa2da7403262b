/** k6's REST API on loopback: https://grafana.com/docs/k6/latest/reference/k6-rest-api. Every answer is waited for a bounded time. */
import http from 'node:http';
import type { MetricKind } from './known-metrics.ts';

const ANSWER_WITHIN_MS = 5_000;
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** `lib.ExecutionStatus` of k6, from which on it is what: the same in 1.x and 2.x. */
const PAUSED_BEFORE_RUN = 4;
const ENDED = 9;
const INTERRUPTED = 10;

export interface K6Status {
  /** VUs are there, and it waits for its start. */
  ready: boolean;
  /** The load is over, in whichever way. */
  ended: boolean;
  /** Before its time. */
  interrupted: boolean;
  vus: number;
  vusMax: number;
}

/** A metric as k6 itself has summed it up. */
export interface K6Metric extends MetricKind {
  name: string;
  /** By aggregation: `count` and `rate` of a counter, `rate` of a rate. */
  values: Record<string, number>;
}

/** k6 answered that it could not. */
export class K6Refusal extends Error {}

export class RestClient {
  private readonly port: number;
  /** Connections stay open, so that the start needs no new one. */
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: 4 });

  constructor(port: number) {
    this.port = port;
  }

  async status(withinMs?: number): Promise<K6Status> {
    const { attributes } = (await this.data('GET', '/v1/status', undefined, withinMs)) as {
      attributes: { status: number; vus: number; 'vus-max': number };
    };
    const { status, vus, 'vus-max': vusMax } = attributes;
    return {
      ready: status === PAUSED_BEFORE_RUN,
      ended: status >= ENDED,
      interrupted: status === INTERRUPTED,
      vus,
      vusMax,
    };
  }

  async start(): Promise<void> {
    await this.patchStatus({ paused: false });
  }

  async stop(withinMs: number): Promise<void> {
    await this.patchStatus({ stopped: true }, withinMs);
  }

  /** @returns what setup() returned, as JSON; undefined when it returned nothing */
  async setUp(withinMs: number): Promise<string | undefined> {
    return setUpData(await this.data('POST', '/v1/setup', undefined, withinMs));
  }

  /** @param json what setup() returned elsewhere */
  async putSetUpData(json: string): Promise<void> {
    await this.data('PUT', '/v1/setup', json);
  }

  async tearDown(withinMs: number): Promise<void> {
    await this.call('POST', '/v1/teardown', undefined, withinMs);
  }

  async metrics(): Promise<K6Metric[]> {
    const rows = (await this.data('GET', '/v1/metrics')) as {
      id: string;
      attributes: MetricKind & { sample: Record<string, number> };
    }[];
    return rows.map(({ id, attributes: { type, contains, sample } }) => ({
      name: id,
      type,
      contains,
      values: sample,
    }));
  }

  close(): void {
    this.agent.destroy();
  }

  private async patchStatus(attributes: Record<string, boolean>, withinMs?: number): Promise<void> {
    const body = JSON.stringify({ data: { type: 'status', id: 'default', attributes } });
    await this.call('PATCH', '/v1/status', body, withinMs);
  }

  private async data(method: string, path: string, body?: string, withinMs?: number): Promise<unknown> {
    const text = await this.call(method, path, body, withinMs);
    return (JSON.parse(text) as { data: unknown }).data;
  }

  private call(method: string, path: string, body?: string, withinMs = ANSWER_WITHIN_MS): Promise<string> {
    return new Promise((resolve, reject) => {
      const { agent, port } = this;
      const request = http.request({ agent, host: '127.0.0.1', port, method, path }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
          if (text.length > MOST_ANSWER_BYTES) request.destroy(new Error(`${path}: the answer has no end`));
        });
        response.on('error', reject);
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 400) resolve(text);
          else reject(new K6Refusal(refusalText(text, response.statusCode)));
        });
      });
      const timer = setTimeout(
        () => request.destroy(new Error(`${method} ${path}: no answer within ${withinMs / 1_000} s`)),
        withinMs,
      );
      request.on('close', () => clearTimeout(timer));
      request.on('error', reject);
      request.end(body);
    });
  }
}

function setUpData(data: unknown): string | undefined {
  const value = (data as { attributes?: { data?: unknown } }).attributes?.data;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function refusalText(text: string, status: number | undefined): string {
  try {
    const { errors } = JSON.parse(text) as { errors: { title?: string; detail?: string }[] };
    return errors.map(({ title, detail }) => detail ?? title).join('; ');
  } catch {
    return `HTTP ${status}`;
  }
}
