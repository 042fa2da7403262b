/**
 * What workers and observers have in common: a place among those that a coordinator knows. It says hello, over a link that
 * dials again, samples its host while the coordinator watches it, delivers reports until they are acknowledged, and says
 * goodbye.
 */
import { randomUUID } from 'node:crypto';
import type { BroadsideError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { Hello, WorkerReport } from '../shared/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../shared/protocol/version.ts';
import { CoordinatorLink } from './coordinator-link.ts';
import type { HostChoices } from './host/host-facts.ts';
import { HostWatcher } from './host/host-watcher.ts';
import { HostSampler } from './host-sample.ts';
import { Publisher } from './publisher.ts';

/** How long one that leaves waits for its last reports to be acknowledged. */
const DRAIN_MS = 5_000;

export interface MemberOptions {
  coordinator: URL;
  token: string | undefined;
  /** PEM of the authority of the coordinator's certificate; undefined: those that Node knows. */
  ca?: string | undefined;
  name: string;
  /** Of the sampling of its host. */
  host: HostChoices;
  log: Logger;
}

export class Membership {
  /** Rejects when the coordinator refuses it; otherwise resolves when it has left. */
  readonly left: Promise<void>;
  /** Its messages are for whoever the member is; those that all members answer are answered. */
  readonly link: CoordinatorLink;
  private readonly options: MemberOptions;
  private readonly publisher = new Publisher();
  private readonly watcher: HostWatcher;
  private isLeaving = false;
  private resolveLeft!: () => void;
  private rejectLeft!: (error: BroadsideError) => void;

  /** @param present what it can do and what it holds, at each hello */
  constructor(
    options: MemberOptions,
    who: Pick<Hello, 'role' | 'pool'>,
    present: () => Pick<Hello, 'capabilities' | 'shards'>,
  ) {
    this.options = options;
    this.left = new Promise((resolve, reject) => {
      this.resolveLeft = resolve;
      this.rejectLeft = reject;
    });
    const { coordinator, token, ca, name, host, log } = options;
    const instance = randomUUID();
    this.link = new CoordinatorLink({
      url: coordinator,
      token,
      ca,
      host: new HostSampler(),
      log,
      hello: () => ({ type: 'hello', protocol: PROTOCOL_VERSION, ...who, name, instance, ...present() }),
    });
    this.watcher = new HostWatcher({ choices: host, report: (report) => this.publish(report) });
    this.link.on('welcome', () => this.publisher.attach((delivery) => this.link.send(delivery)));
    this.link.on('watch', (message) => this.watcher.watch(message));
    this.link.on('unwatch', (message) => this.watcher.unwatch(message));
    this.link.on('ack', (number) => this.publisher.acknowledge(number));
    this.link.on('disconnected', () => {
      this.publisher.detach();
      if (!this.isLeaving) log.warn('the connection to the coordinator was cut; dialling again');
    });
    this.link.on('refused', (error) => this.rejectLeft(error));
  }

  get leaving(): boolean {
    return this.isLeaving;
  }

  join(): void {
    this.link.dial();
  }

  /** Kept until it is acknowledged. */
  publish(report: WorkerReport): void {
    this.publisher.publish(report);
  }

  /**
   * Sends what there is, and says goodbye; once.
   * @param endWork before; what it publishes is sent too
   * @param release after
   */
  async leave(reason: string, endWork?: () => Promise<void>, release?: () => Promise<void>): Promise<void> {
    if (this.isLeaving) return;
    this.isLeaving = true;
    await endWork?.();
    this.watcher.close();
    const unsent = await this.publisher.drained(DRAIN_MS);
    if (unsent > 0) this.options.log.error(`${unsent} reports could not be delivered to the coordinator`);
    this.link.send({ type: 'goodbye', reason });
    await this.link.close();
    await release?.();
    this.resolveLeft();
  }
}
