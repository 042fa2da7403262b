/** The websocket endpoint for workers: lets them in or says why not, and turns their messages into registry events. */
import { setTimeout as wait } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { clock } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type {
  CoordinatorMessage,
  Delivery,
  Hello,
  Refused,
  Welcome,
  WorkerMessage,
  WorkerReport,
} from '../shared/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../shared/protocol/version.ts';
import { WORKER_NAME, WORKER_NAME_FORM } from '../shared/protocol/worker-name.ts';
import type { Registry } from './registry.ts';
import { WorkerSession } from './worker-session.ts';

const HELLO_WITHIN_MS = 5_000;
/** How often one that waits for its welcome hears from its coordinator. */
const SIGN_OF_LIFE_MS = 1_000;
/** Of no session: they number their probes from 1. */
const NO_PROBE = 0;
/** A disk that is full is tried again this often. */
const AGAIN_MS = 2_000;
/** Lets a `refused` reach the worker before the socket closes. */
const CLOSE_POLICY_VIOLATION = 1008;

export interface WorkerGatewayOptions {
  registry: Registry;
  /** How long a worker may be silent before its connection counts as cut. */
  silenceMs: number;
  leaseMs: number;
  /** The queue's address, once it is up. */
  redisUrl: Promise<string>;
  queuePrefix: string;
  /** Takes a report in; when it resolves, the report is safe and the worker may forget it. Called again when it rejects. */
  onReport(session: WorkerSession, report: WorkerReport): Promise<void>;
  /** After which a report that could not be kept is tried again; 2 s. */
  againMs?: number;
  log: Logger;
}

export class WorkerGateway {
  private readonly options: WorkerGatewayOptions;
  private readonly watch: NodeJS.Timeout;
  private closed = false;

  constructor(options: WorkerGatewayOptions) {
    this.options = options;
    this.watch = setInterval(() => this.cutSilentOnes(), Math.min(1_000, options.silenceMs / 2));
  }

  /** Takes over an authorised socket. */
  accept(socket: WebSocket): void {
    let session: WorkerSession | undefined;
    const helloTimer = setTimeout(() => socket.terminate(), HELLO_WITHIN_MS);
    socket.on('error', (error) => this.options.log.debug(`a worker's socket: ${messageOf(error)}`));
    socket.on('message', (data) => {
      const message = parse(String(data));
      if (message === undefined) {
        refuse(socket, 'BAD_HELLO', 'that was no Broadside message');
      } else if (session !== undefined) {
        this.onMessage(session, message);
      } else if (message.type === 'hello') {
        clearTimeout(helloTimer);
        session = this.onHello(socket, message);
      }
    });
    socket.on('close', () => {
      clearTimeout(helloTimer);
      if (session?.detach(socket)) this.options.registry.emit('disconnected', session);
    });
  }

  close(): void {
    this.closed = true;
    clearInterval(this.watch);
    for (const session of this.options.registry.all()) session.terminate();
  }

  private onHello(socket: WebSocket, hello: Hello): WorkerSession | undefined {
    const { registry, log } = this.options;
    if (hello.protocol !== PROTOCOL_VERSION) {
      const theirs = `${roleOf(hello)} ${hello.name} speaks protocol ${hello.protocol} (Broadside ${hello.capabilities?.broadsideVersion ?? 'unknown'})`;
      const message = `${theirs}, this coordinator speaks ${PROTOCOL_VERSION}; install the same version on both`;
      log.warn(message);
      refuse(socket, 'PROTOCOL_MISMATCH', message);
      return undefined;
    }
    if (!isHello(hello)) {
      refuse(socket, 'BAD_HELLO', `its hello is not of the form; a name has ${WORKER_NAME_FORM}`);
      return undefined;
    }
    const known = registry.get(hello.name);
    const comesBack = known?.hello.instance === hello.instance;
    if (known !== undefined && !comesBack && known.connected) {
      const message = `${known.hello.role === 'observer' ? 'an observer' : 'a worker'} named ${hello.name} is already connected; choose another with --name`;
      log.warn(message);
      refuse(socket, 'NAME_TAKEN', message);
      return undefined;
    }
    const session = comesBack ? known! : new WorkerSession(hello);
    session.hello.shards = hello.shards;
    registry.set(session);
    session.lastHeardUs = clock.now();
    const stop = sendSignsOfLife(socket);
    this.welcome(session, socket)
      .catch(() => socket.terminate())
      .finally(stop);
    return session;
  }

  private async welcome(session: WorkerSession, socket: WebSocket): Promise<void> {
    const { leaseMs, queuePrefix, registry, log, redisUrl } = this.options;
    const welcome: Welcome = { type: 'welcome', redisUrl: await redisUrl, queuePrefix, leaseMs };
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(welcome satisfies CoordinatorMessage));
    session.attach(socket);
    const { role, pool } = session.hello;
    log.info(`${role} ${session.name} is here${role === 'worker' ? `, pool ${pool}` : ''}`);
    if (session.clockMeasured) registry.emit('available', session);
  }

  private onMessage(session: WorkerSession, message: WorkerMessage): void {
    const { registry } = this.options;
    session.lastHeardUs = clock.now();
    switch (message.type) {
      case 'heartbeat':
        session.host = message.host;
        session.probe();
        break;
      case 'clock-answer':
        if (session.onClockAnswer(message.probe, message.receivedUs, message.sentUs)) {
          registry.emit('available', session);
        }
        break;
      case 'preflight':
        session.onPreflightAnswer(message);
        break;
      case 'delivery':
        this.onDelivery(session, message);
        break;
      case 'goodbye':
        registry.delete(session);
        registry.emit('goodbye', session, message);
        break;
      case 'hello':
        break;
    }
  }

  /** An acknowledgement covers everything before it, so they are given strictly in order. */
  private onDelivery(session: WorkerSession, { number, report }: Delivery): void {
    const safe = this.keep(session, report);
    session.acknowledged = Promise.all([session.acknowledged, safe]).then(() =>
      session.send({ type: 'ack', number }),
    );
    // Of one that has left, or of a coordinator that ends: nobody waits for it.
    session.acknowledged.catch(() => {});
  }

  /** A disk that is full may get room again: until then a report waits here, and with it all that came after it. */
  private async keep(session: WorkerSession, report: WorkerReport): Promise<void> {
    const { log, onReport, registry, againMs = AGAIN_MS } = this.options;
    for (let refused = false; ; refused = true) {
      try {
        await onReport(session, report);
        if (refused && --session.unkept === 0) log.info(`reports of ${session.name} are kept again`);
        return;
      } catch (error) {
        if (!refused && session.unkept++ === 0)
          log.error(`reports of ${session.name} are not kept: ${messageOf(error)}`);
        await wait(againMs, undefined, { ref: false });
        if (this.closed || registry.get(session.name) !== session) throw error;
      }
    }
  }

  private cutSilentOnes(): void {
    const heardSinceUs = clock.now() - this.options.silenceMs * 1_000;
    for (const session of this.options.registry.all()) {
      if (session.connected && session.lastHeardUs < heardSinceUs) session.terminate();
    }
  }
}

function parse(text: string): WorkerMessage | undefined {
  try {
    const message = JSON.parse(text) as WorkerMessage;
    return typeof message === 'object' && message !== null && typeof message.type === 'string'
      ? message
      : undefined;
  } catch {
    return undefined;
  }
}

/** Of those who speak this protocol; what it names goes into Redis keys and is printed. */
function isHello({ role, name, pool, instance, capabilities, shards }: Hello): boolean {
  const named = [name, pool].every((text) => typeof text === 'string' && WORKER_NAME.test(text));
  const cast = role === 'worker' || role === 'observer';
  return (
    named && cast && typeof instance === 'string' && typeof capabilities === 'object' && Array.isArray(shards)
  );
}

/** Of a hello that may be of any version. */
function roleOf({ role }: Partial<Hello>): string {
  return role === 'observer' ? role : 'worker';
}

/**
 * Until its coordinator has its queue, and has read the journals of what an earlier one left, a worker waits; it must not
 * take that for silence, which would end its lease and with it the load that is about to be taken up.
 * @returns ends them
 */
function sendSignsOfLife(socket: WebSocket): () => void {
  const sign = JSON.stringify({ type: 'clock-probe', probe: NO_PROBE } satisfies CoordinatorMessage);
  const send = (): void => socket.send(sign, () => {});
  send();
  const timer = setInterval(send, SIGN_OF_LIFE_MS);
  const stop = (): void => clearInterval(timer);
  socket.once('close', stop);
  return stop;
}

function refuse(socket: WebSocket, code: Refused['code'], message: string): void {
  const refused: CoordinatorMessage = { type: 'refused', code, message };
  socket.send(JSON.stringify(refused), () => socket.close(CLOSE_POLICY_VIOLATION, code));
}
