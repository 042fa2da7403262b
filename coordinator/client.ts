/** The API from the outside: what the CLI does with a coordinator, its own embedded one or another. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import WebSocket from 'ws';
import { checkAuthority, mayWantTls, tlsProblem } from '../shared/coordinator-tls.ts';
import type { ScriptPackage } from '../shared/domain/k6-plan.ts';
import type { ScenarioSource } from '../shared/domain/scenario.ts';
import { BroadsideError, type ErrorCode, messageOf } from '../shared/errors.ts';
import type { RunEvent } from '../shared/protocol/run-events.ts';
import { trustingFetch } from '../shared/trusting-fetch.ts';
import type { WorkerView } from './api.ts';
import type { Finding } from './preflight.ts';
import type { Report, ReportOptions } from './report/schema.ts';
import type { RunStatus } from './run-status.ts';
import { PACKAGE_TYPE } from './scripts/package-type.ts';

/** Whoever watches asks this often whether the coordinator is still there. */
const PING_MS = 5_000;
/** In a row, after which it is not. */
const UNANSWERED_PINGS = 3;
const WATCH_HANDSHAKE_MS = 10_000;

export class CoordinatorClient {
  private readonly base: URL;
  private readonly token: string | undefined;
  private readonly ca: string | undefined;

  /**
   * @param ca PEM of the only authorities whose certificates are taken; undefined: those that Node knows
   * @throws BroadsideError USAGE where it is given for a URL without TLS
   */
  constructor(base: URL | string, token: string | undefined, ca?: string) {
    this.base = new URL(base);
    checkAuthority(this.base, ca);
    this.token = token;
    this.ca = ca;
  }

  /** @param resume the id of an interrupted run to go on with */
  async submit(scenario: ScenarioSource, resume?: string): Promise<RunStatus> {
    const status = await this.request<Partial<RunStatus>>('POST', '/api/runs', { scenario, resume });
    // Some other service may say yes to anything.
    if (status.id === undefined) throw this.stranger(200);
    return status as RunStatus;
  }

  /** Brings a script's package, unless the coordinator has it. */
  async bringScript({ sha256, bytes }: ScriptPackage, file: string): Promise<void> {
    const path = `/api/scripts/${sha256}`;
    const known = await this.fetch(path, { method: 'HEAD', headers: this.headers() });
    if (known.ok) return;
    const init = {
      method: 'PUT',
      headers: { ...this.headers(), 'content-type': PACKAGE_TYPE, 'content-length': String(bytes) },
      body: Readable.toWeb(createReadStream(file)),
      // Node asks for it where a body is a stream; its types do not know it.
      duplex: 'half',
    };
    await this.answerOf<{ sha256: string }>(path, init as RequestInit);
  }

  runs(): Promise<RunStatus[]> {
    return this.request('GET', '/api/runs');
  }

  run(id: string): Promise<RunStatus> {
    return this.request('GET', `/api/runs/${encodeURIComponent(id)}`);
  }

  cancel(id: string): Promise<RunStatus> {
    return this.request('POST', `/api/runs/${encodeURIComponent(id)}/cancel`, {});
  }

  report(
    id: string,
    { histograms = true, secondHistograms = false, secondLatencies = true }: ReportOptions = {},
  ): Promise<Report> {
    const query = new URLSearchParams({
      ...(secondHistograms ? { histograms: 'seconds' } : histograms ? {} : { histograms: 'none' }),
      ...(secondLatencies ? {} : { seconds: 'none' }),
    });
    return this.request('GET', `/api/runs/${encodeURIComponent(id)}/report?${query}`);
  }

  preflight(scenario: ScenarioSource, { calibrate = false } = {}): Promise<Finding[]> {
    return this.request('POST', '/api/preflight', { scenario, calibrate });
  }

  workers(): Promise<WorkerView[]> {
    return this.request('GET', '/api/workers');
  }

  /**
   * Calls `onEvent` with the run's events, its state first.
   * @param pingMs how often it asks for a sign of life; when three in a row bring none, the connection counts as cut
   * @returns resolves when the run has ended; rejects with COORDINATOR_UNREACHABLE when the connection is cut before
   */
  watch(id: string, onEvent: (event: RunEvent) => void, pingMs = PING_MS): Promise<void> {
    const url = new URL(`/api/runs/${encodeURIComponent(id)}/events`, this.base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url, {
      handshakeTimeout: WATCH_HANDSHAKE_MS,
      headers: this.headers(),
      ca: this.ca,
      perMessageDeflate: false,
    });
    endWhenSilent(socket, pingMs);
    return new Promise((resolve, reject) => {
      socket.on('message', (data) => {
        const event = JSON.parse(String(data)) as RunEvent;
        onEvent(event);
        if (event.type !== 'run-state' || event.state === 'queued' || event.state === 'running') return;
        resolve();
        socket.close();
      });
      socket.on('error', (error) => reject(this.unreachable(error)));
      socket.on('close', () => reject(this.unreachable(new Error('the connection was closed'))));
    });
  }

  private headers(): Record<string, string> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
  }

  private async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.answerOf(path, {
      method,
      headers: { ...this.headers(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  private async answerOf<T>(path: string, init: RequestInit): Promise<T> {
    const response = await this.fetch(path, init);
    const answer = (await response.json().catch(() => undefined)) as
      | { error?: { code: ErrorCode; message: string; hint?: string } }
      | undefined;
    if (response.ok && answer !== undefined) return answer as T;
    if (answer?.error === undefined) throw this.stranger(response.status);
    const { code, message, hint } = answer.error;
    throw new BroadsideError(code, message, hint === undefined ? {} : { hint });
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await trustingFetch(new URL(path, this.base), init, this.ca);
    } catch (error) {
      throw this.unreachable(causeOf(error));
    }
  }

  private stranger(status: number): BroadsideError {
    return new BroadsideError(
      'COORDINATOR_UNREACHABLE',
      `${this.base.origin} answered HTTP ${status}; is this a Broadside coordinator?`,
    );
  }

  private unreachable(cause: unknown): BroadsideError {
    const untrusted = tlsProblem(cause, this.base);
    if (untrusted !== undefined) return untrusted;
    const start = 'start one with `coordinator start`, or name another with --coordinator URL';
    return new BroadsideError(
      'COORDINATOR_UNREACHABLE',
      `no coordinator answers at ${this.base.origin}: ${messageOf(cause)}`,
      { hint: mayWantTls(cause, this.base) ?? start, cause },
    );
  }
}

/** A machine that lost its power, or a network that lost its state, closes no connection. */
function endWhenSilent(socket: WebSocket, pingMs: number): void {
  let unanswered = 0;
  let timer: NodeJS.Timeout | undefined;
  socket.on('open', () => {
    timer = setInterval(() => {
      if (unanswered++ === UNANSWERED_PINGS) socket.terminate();
      else socket.ping();
    }, pingMs);
  });
  socket.on('pong', () => {
    unanswered = 0;
  });
  socket.on('close', () => clearInterval(timer));
}

/** Of what `fetch` throws: it says what happened in the cause. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
