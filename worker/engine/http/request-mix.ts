/** Which request is next: the prepared requests of an engine, in their weighted order, round and round. */
import type { RequestPlan } from '../../../shared/domain/run.ts';
import { weightedOrder } from '../../../shared/domain/weighted-order.ts';
import { type PreparedRequest, prepareRequest } from './request-bytes.ts';

export interface RequestMix {
  readonly first: PreparedRequest;
  next(): PreparedRequest;
}

/**
 * @param startAt where in the order to begin, taken round
 * @throws BroadsideError USAGE for a request that cannot be sent
 */
export function createRequestMix(
  plans: readonly RequestPlan[],
  keepAlive: boolean,
  startAt: number,
): RequestMix {
  const prepared = plans.map((plan, index) => prepareRequest(plan, keepAlive, index));
  return new WeightedMix(prepared, weightedOrder(plans.map(({ weight }) => weight)), startAt);
}

class WeightedMix implements RequestMix {
  readonly first: PreparedRequest;
  private readonly requests: readonly PreparedRequest[];
  private readonly order: Uint32Array;
  private at: number;

  constructor(requests: readonly PreparedRequest[], order: Uint32Array, startAt: number) {
    this.first = requests[0]!;
    this.requests = requests;
    this.order = order;
    this.at = startAt % order.length;
  }

  next(): PreparedRequest {
    const request = this.requests[this.order[this.at]!]!;
    if (++this.at === this.order.length) this.at = 0;
    return request;
  }
}
