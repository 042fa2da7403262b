/** How long a coordinator waits for what; every wait is bounded, and whoever is missing at its end is named. */
export interface Timing {
  /** From dispatch until every shard is ready, or, where it is one of a script, taken. */
  barrierMs: number;
  /** From then until every k6 process has read its script and has its VUs. */
  scriptMs: number;
  /** From the order to the start instant. */
  startLeadMs: number;
  /** A worker that says nothing for this long is cut off; heartbeats come once a second. */
  silenceMs: number;
  /** A worker that is cut off for this long is lost. */
  lossMs: number;
  /** After a coordinator has come back: until all workers that it can count on are here again; they dial every 2 s. */
  returnMs: number;
  /** A worker that hears nothing for this long stops by itself; longer than it takes to be declared lost. */
  leaseMs: number;
  /** After a stop: how long for the shards to hand in what they have. */
  stopMs: number;
  /** Beyond the planned end of a load, before a shard that is silent about it is lost. */
  overdueMs: number;
}

export const DEFAULT_TIMING: Timing = {
  barrierMs: 10_000,
  scriptMs: 300_000,
  startLeadMs: 60,
  silenceMs: 4_000,
  lossMs: 8_000,
  returnMs: 3_000,
  leaseMs: 15_000,
  stopMs: 5_000,
  overdueMs: 10_000,
};
