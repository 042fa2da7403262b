/** Names at the queue's edge (DESIGN rule 3); the only place where BullMQ's word `job` is Broadside's too. */
export const RUNS_QUEUE = 'runs';

export function shardsQueue(worker: string): string {
  return `shards-${worker}`;
}
