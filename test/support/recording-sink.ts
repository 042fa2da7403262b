/** A sink that remembers everything it was told. */
import type { ErrorClass } from '../../shared/metrics/error-class.ts';
import type { SampleSink } from '../../worker/engine/engine.ts';

export interface RecordedSample {
  /** Its place among the engine's requests. */
  request: number;
  /** Absent for a whole reply that met what was expected. */
  errorClass?: ErrorClass;
  message?: string;
  status?: number;
  /** µs; of completed samples only. */
  times?: { intended: number; sent: number; firstByte: number; end: number };
  atUs: number;
}

export class RecordingSink implements SampleSink {
  readonly samples: RecordedSample[] = [];
  readonly connectTimesUs: number[] = [];
  /** By connection, in the order of opening. */
  readonly addresses: string[] = [];
  readonly handshakeTimesUs: number[] = [];
  readonly secureConnectTimesUs: number[] = [];
  resumedCount = 0;
  startedCount = 0;
  reusedCount = 0;
  receivedBytes = 0;
  decryptedBytes = 0;
  bodyBytes = 0;
  sentBytes = 0;
  private waiters: { ready: () => boolean; resolve: () => void }[] = [];

  /** Resolves once `ready` is true; looked at after everything that the sink is told. */
  until(ready: () => boolean): Promise<void> {
    if (ready()) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ ready, resolve }));
  }

  started(_request: number, _sentUs: number, reused: boolean): void {
    this.startedCount++;
    if (reused) this.reusedCount++;
  }

  completed(
    request: number,
    status: number,
    intended: number,
    sent: number,
    firstByte: number,
    end: number,
  ): void {
    this.samples.push({ request, status, times: { intended, sent, firstByte, end }, atUs: end });
    this.look();
  }

  failed(request: number, errorClass: ErrorClass, message: string, atUs: number, status?: number): void {
    this.samples.push({ request, errorClass, message, atUs, ...(status === undefined ? {} : { status }) });
    this.look();
  }

  received(bytes: number): void {
    this.receivedBytes += bytes;
    this.look();
  }

  body(bytes: number): void {
    this.bodyBytes += bytes;
  }

  sent(bytes: number): void {
    this.sentBytes += bytes;
  }

  decrypted(bytes: number): void {
    this.decryptedBytes += bytes;
    this.look();
  }

  connected(connectUs: number, address: string): void {
    this.connectTimesUs.push(connectUs);
    this.addresses.push(address);
  }

  secured(handshakeUs: number, connectedUs: number, resumed: boolean): void {
    this.handshakeTimesUs.push(handshakeUs);
    this.secureConnectTimesUs.push(connectedUs);
    if (resumed) this.resumedCount++;
  }

  private look(): void {
    if (this.waiters.length === 0) return;
    const ready = this.waiters.filter((waiter) => waiter.ready());
    this.waiters = this.waiters.filter((waiter) => !ready.includes(waiter));
    for (const waiter of ready) waiter.resolve();
  }
}
