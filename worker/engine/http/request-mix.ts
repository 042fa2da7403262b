/** Which request is next: the prepared requests of an engine, in their weighted order, round and round. */
import { weightedOrder } from '../../../shared/domain/weighted-order.ts';
import type { EngineOptions } from '../engine.ts';
import { type PreparedRequest, prepareRequest } from './request-bytes.ts';

export interface RequestMix {
  readonly first: PreparedRequest;
  next(): PreparedRequest;
  /** The bytes of one send of it: from the next row, where it is made of rows. */
  bytesOf(request: PreparedRequest): Buffer;
}

/** @throws BroadsideError USAGE for a request that cannot be sent */
export function createRequestMix({
  requests,
  keepAlive,
  startAt,
  data,
}: Pick<EngineOptions, 'requests' | 'keepAlive' | 'startAt' | 'data'>): RequestMix {
  const prepared = requests.map((plan, index) => prepareRequest(plan, keepAlive, index));
  return new WeightedMix(
    prepared,
    weightedOrder(requests.map(({ weight }) => weight)),
    startAt,
    data?.rows ?? [],
  );
}

class WeightedMix implements RequestMix {
  readonly first: PreparedRequest;
  private readonly requests: readonly PreparedRequest[];
  private readonly order: Uint32Array;
  private readonly rows: readonly (readonly string[])[];
  private at: number;
  private row = 0;

  constructor(
    requests: readonly PreparedRequest[],
    order: Uint32Array,
    startAt: number,
    rows: readonly (readonly string[])[],
  ) {
    this.first = requests[0]!;
    this.requests = requests;
    this.order = order;
    this.at = startAt % order.length;
    this.rows = rows;
  }

  next(): PreparedRequest {
    const request = this.requests[this.order[this.at]!]!;
    if (++this.at === this.order.length) this.at = 0;
    return request;
  }

  bytesOf({ bytes, rows }: PreparedRequest): Buffer {
    if (rows === null) return bytes;
    const row = this.rows[this.row] ?? [];
    if (++this.row >= this.rows.length) this.row = 0;
    return rows.bytes(row);
  }
}
