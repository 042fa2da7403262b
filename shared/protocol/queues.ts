/** Names at the queue's edge (DESIGN rule 3); the only place where BullMQ's word `job` is Broadside's too. */

/** Begins every key in Redis; several coordinators, and every embedded lab, may be on one Redis. */
export function queuePrefix(labId: string): string {
  return `broadside-${labId}`;
}

export const RUNS_QUEUE = 'runs';

export function shardsQueue(worker: string): string {
  return `shards-${worker}`;
}
