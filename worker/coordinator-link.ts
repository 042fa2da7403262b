/**
 * The websocket to the coordinator: dials, says hello, answers clock probes, sends heartbeats, and dials again when
 * it is cut. It also watches the lease: how long nothing was heard.
 */
import { EventEmitter } from 'node:events';
import WebSocket from 'ws';
import { clock } from '../shared/clock.ts';
import { mayWantTls, tlsProblem } from '../shared/coordinator-tls.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type {
  AskPreflight,
  CoordinatorMessage,
  FinishShard,
  Hello,
  Refused,
  SetUpShard,
  StartShard,
  StopShard,
  Unwatch,
  WarmUpShard,
  Watch,
  Welcome,
  WorkerMessage,
} from '../shared/protocol/messages.ts';
import type { HostSampler } from './host-sample.ts';

const HEARTBEAT_MS = 1_000;
const DIAL_TIMEOUT_MS = 5_000;
/** The coordinator says something once a second; a connection that is silent for so long is dead, whatever TCP thinks. */
const SILENCE_MS = 5_000;
const REDIAL_FIRST_MS = 100;
const REDIAL_MOST_MS = 2_000;

export interface CoordinatorLinkOptions {
  /** `http://host:port` or `https://…` of the coordinator. */
  url: URL;
  token: string | undefined;
  /** PEM of the only authorities whose certificates are taken; undefined: those that Node knows. */
  ca?: string | undefined;
  hello(): Hello;
  host: HostSampler;
  log: Logger;
  /** After which a connection over which nothing comes is given up; 5 s. */
  silenceMs?: number;
}

interface LinkEvents {
  welcome: [welcome: Welcome];
  'warm-up': [message: WarmUpShard];
  'set-up': [message: SetUpShard];
  finish: [message: FinishShard];
  start: [message: StartShard];
  preflight: [message: AskPreflight];
  stop: [message: StopShard];
  watch: [message: Watch];
  unwatch: [message: Unwatch];
  ack: [number: number];
  disconnected: [];
  /** Nothing was heard for the whole lease. */
  'lease-expired': [];
  /** The coordinator will not have this worker; it will not dial again. */
  refused: [error: BroadsideError];
}

export class CoordinatorLink extends EventEmitter<LinkEvents> {
  private readonly options: CoordinatorLinkOptions;
  private socket: WebSocket | undefined;
  private closed = false;
  private welcomed = false;
  /** It has joined before: what is wrong now may be mended while it runs. */
  private joined = false;
  private redialMs = REDIAL_FIRST_MS;
  private redialTimer: NodeJS.Timeout | undefined;
  private heartbeatTimer: NodeJS.Timeout | undefined;
  private leaseTimer: NodeJS.Timeout | undefined;
  private leaseMs = 15_000;
  private silenceTimer: NodeJS.Timeout | undefined;
  private lastProblem = '';

  constructor(options: CoordinatorLinkOptions) {
    super();
    this.options = options;
  }

  dial(): void {
    const url = new URL('/api/worker', this.options.url);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const { token, ca } = this.options;
    const socket = new WebSocket(url, {
      handshakeTimeout: DIAL_TIMEOUT_MS,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ca,
      perMessageDeflate: false,
    });
    this.socket = socket;
    socket.on('open', () => {
      this.awaitNext(socket);
      this.send(this.options.hello());
    });
    socket.on('message', (data) => {
      this.awaitNext(socket);
      this.onMessage(JSON.parse(String(data)) as CoordinatorMessage);
    });
    let refused = false;
    socket.on('unexpected-response', (_request, response) => {
      refused = true;
      response.resume();
      this.onUnexpectedResponse(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('error', (error) => {
      // What was answered has been told; that the socket then closed is no other problem.
      if (!refused) this.onError(error);
    });
    socket.on('close', () => this.onClose(socket));
  }

  send(message: WorkerMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Ends the link for good, after what was sent has left. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.redialTimer);
    clearTimeout(this.leaseTimer);
    clearInterval(this.heartbeatTimer);
    const { socket } = this;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.close();
    const timer = setTimeout(() => socket.terminate(), 1_000);
    await closed;
    clearTimeout(timer);
  }

  private onMessage(message: CoordinatorMessage): void {
    this.heard();
    switch (message.type) {
      case 'welcome':
        this.onWelcome(message);
        break;
      case 'refused':
        this.onRefused(message);
        break;
      case 'clock-probe': {
        const receivedUs = clock.now();
        this.send({ type: 'clock-answer', probe: message.probe, receivedUs, sentUs: clock.now() });
        break;
      }
      case 'ask-preflight':
        this.emit('preflight', message);
        break;
      case 'warm-up':
        this.emit('warm-up', message);
        break;
      case 'set-up':
        this.emit('set-up', message);
        break;
      case 'finish':
        this.emit('finish', message);
        break;
      case 'start':
        this.emit('start', message);
        break;
      case 'stop':
        this.emit('stop', message);
        break;
      case 'watch':
        this.emit('watch', message);
        break;
      case 'unwatch':
        this.emit('unwatch', message);
        break;
      case 'ack':
        this.emit('ack', message.number);
    }
  }

  private onWelcome(welcome: Welcome): void {
    this.welcomed = true;
    this.joined = true;
    this.redialMs = REDIAL_FIRST_MS;
    this.lastProblem = '';
    this.leaseMs = welcome.leaseMs;
    this.heard();
    clearInterval(this.heartbeatTimer);
    this.heartbeatTimer = setInterval(() => {
      this.send({ type: 'heartbeat', host: this.options.host.sample() });
    }, HEARTBEAT_MS);
    this.emit('welcome', welcome);
  }

  private onRefused(refused: Refused): void {
    const code = refused.code === 'BAD_HELLO' ? 'PROTOCOL_MISMATCH' : refused.code;
    this.giveUp(new BroadsideError(code, refused.message));
  }

  private giveUp(error: BroadsideError): void {
    this.closed = true;
    clearTimeout(this.leaseTimer);
    this.emit('refused', error);
  }

  private onUnexpectedResponse(status: number): void {
    const at = this.options.url.origin;
    if (status === 401) {
      const what = this.options.token === undefined ? 'it asks for a token' : 'it does not know this token';
      this.giveUp(
        new BroadsideError('UNAUTHORIZED', `the coordinator at ${at} refused this worker: ${what}`, {
          hint: 'use the `worker start` line that `coordinator start` printed',
        }),
      );
    } else {
      this.complainOnce(`${at} answered HTTP ${status}; is this a Broadside coordinator?`);
    }
  }

  private onError(error: Error): void {
    const { url } = this.options;
    const untrusted = tlsProblem(error, url);
    if (untrusted !== undefined && !this.joined) {
      this.giveUp(untrusted);
      return;
    }
    const also = mayWantTls(error, url);
    this.complainOnce(also === undefined ? messageOf(error) : `${messageOf(error)}; ${also}`);
  }

  private onClose(socket: WebSocket): void {
    if (socket !== this.socket) return;
    clearTimeout(this.silenceTimer);
    clearInterval(this.heartbeatTimer);
    if (this.welcomed) this.emit('disconnected');
    this.welcomed = false;
    if (this.closed) return;
    this.redialTimer = setTimeout(() => this.dial(), this.redialMs);
    this.redialMs = Math.min(this.redialMs * 2, REDIAL_MOST_MS);
  }

  /** A machine that lost its power, or a network that lost its state, closes no connection. */
  private awaitNext(socket: WebSocket): void {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => socket.terminate(), this.options.silenceMs ?? SILENCE_MS);
  }

  /** The lease starts anew with every message. */
  private heard(): void {
    if (this.leaseTimer !== undefined) clearTimeout(this.leaseTimer);
    if (!this.closed) this.leaseTimer = setTimeout(() => this.emit('lease-expired'), this.leaseMs);
  }

  private complainOnce(problem: string): void {
    if (this.closed || problem === this.lastProblem) return;
    this.lastProblem = problem;
    this.options.log.warn(
      `no connection to the coordinator at ${this.options.url.origin} (${problem}); trying again`,
    );
  }
}
