/**
 * The life of an observer: it joins a coordinator, samples its host while a trial lasts, and leaves in order. It takes no
 * shards, and needs no queue.
 */
import { randomUUID } from 'node:crypto';
import type { BroadsideError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { PROTOCOL_VERSION } from '../shared/protocol/version.ts';
import { readCapabilities } from './capabilities.ts';
import { CoordinatorLink } from './coordinator-link.ts';
import type { HostChoices } from './host/host-facts.ts';
import { whyUnavailable } from './host/host-reader.ts';
import { HostWatcher } from './host/host-watcher.ts';
import { HostSampler } from './host-sample.ts';
import { Publisher } from './publisher.ts';

/** How long a leaving observer waits for its last samples to be acknowledged. */
const DRAIN_MS = 5_000;
/** Of no meaning: an observer looks at the runs of all pools. */
const POOL = 'default';

export interface ObserverOptions {
  coordinator: URL;
  token: string | undefined;
  /** PEM of the authority of the coordinator's certificate; undefined: those that Node knows. */
  ca?: string | undefined;
  name: string;
  host: HostChoices;
  log: Logger;
}

export class ObserverProcess {
  /** Rejects when the coordinator refuses this observer; otherwise resolves when it has left. */
  readonly left: Promise<void>;
  private readonly options: ObserverOptions;
  private readonly publisher = new Publisher();
  private readonly link: CoordinatorLink;
  private readonly watcher: HostWatcher;
  private leaving = false;
  private resolveLeft!: () => void;
  private rejectLeft!: (error: BroadsideError) => void;

  constructor(options: ObserverOptions) {
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
      hello: () => ({
        type: 'hello',
        protocol: PROTOCOL_VERSION,
        role: 'observer',
        name,
        pool: POOL,
        instance,
        capabilities: readCapabilities(0, []),
        shards: [],
      }),
    });
    this.watcher = new HostWatcher({
      choices: host,
      report: (report) => this.publisher.publish(report),
    });
    this.link.on('welcome', () => this.onWelcome());
    this.link.on('watch', (message) => this.watcher.watch(message));
    this.link.on('unwatch', (message) => this.watcher.unwatch(message));
    this.link.on('ack', (number) => this.publisher.acknowledge(number));
    this.link.on('disconnected', () => {
      this.publisher.detach();
      if (!this.leaving) log.warn('the connection to the coordinator was cut; dialling again');
    });
    this.link.on('refused', (error) => this.rejectLeft(error));
  }

  join(): void {
    this.link.dial();
  }

  /** Sends what was sampled, says goodbye. */
  async leave(reason: string): Promise<void> {
    if (this.leaving) return;
    this.leaving = true;
    this.watcher.close();
    const unsent = await this.publisher.drained(DRAIN_MS);
    if (unsent > 0) this.options.log.error(`${unsent} samples could not be delivered to the coordinator`);
    this.link.send({ type: 'goodbye', reason });
    await this.link.close();
    this.resolveLeft();
  }

  private onWelcome(): void {
    const { name, coordinator, log } = this.options;
    this.publisher.attach((delivery) => this.link.send(delivery));
    log.info(`observer ${name} joined ${coordinator.origin}`);
    const unavailable = whyUnavailable();
    if (unavailable !== undefined) log.warn(`nothing will be sampled: ${unavailable}`);
  }
}
