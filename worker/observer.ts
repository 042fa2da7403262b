/**
 * The life of an observer: it joins a coordinator, samples its host while a trial lasts, and leaves in order. It takes no
 * shards, and needs no queue.
 */
import { readCapabilities } from './capabilities.ts';
import { whyUnavailable } from './host/host-reader.ts';
import { type MemberOptions, Membership } from './membership.ts';

/** Of no meaning: an observer looks at the runs of all pools. */
const POOL = 'default';

/** Joins when its `join` is called. */
export function observer(options: MemberOptions): Membership {
  const { name, coordinator, log } = options;
  const membership = new Membership(options, { role: 'observer', pool: POOL }, () => ({
    capabilities: readCapabilities(0, []),
    shards: [],
  }));
  membership.link.on('welcome', () => {
    log.info(`observer ${name} joined ${coordinator.origin}`);
    const unavailable = whyUnavailable();
    if (unavailable !== undefined) log.warn(`nothing will be sampled: ${unavailable}`);
  });
  return membership;
}
