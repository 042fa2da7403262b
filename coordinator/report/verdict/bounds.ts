/** Every number that a verdict turns on. */
/** With what speaks for each. Shares are of 1, times in µs. */
export const BOUNDS = {
  /** Failures of the load machines themselves: most of the failures, and enough of them to matter. */
  ownFailures: 0.5,
  ownRequests: 0.01,
  /** Arrivals that are sent this late (p99), and by this much of the service time's p99, are another load. */
  lateUs: 10_000,
  lateShare: 0.2,
  /** Of a link's speed, over the whole load: its beginning and its end are in it. */
  link: 0.95,
  /** A link below this has room. */
  linkRoom: 0.8,
  /** Of the whole seconds: in most of them a load thread worked or waited for a core nearly all the time. */
  threadFullSeconds: 0.5,
  /** Of all cores, or of one, over the whole load. */
  cpu: 0.95,
  /** Of its time, a load thread that is at leisure: a queue in front of it would be short. */
  leisure: 0.7,
  /** A thread that waits for a core this much of its time is held up by others. */
  waited: 0.2,
  /** Below this a process's start outweighs the load. */
  shortestUs: 1_000_000,
  /** The median delay of an event loop's timers: this long, and this much of the median latency. */
  loopUs: 5_000,
  loopShare: 0.5,
  /** Of a worker's rate cap, and of the time of its connections spent waiting for it. */
  cap: 0.98,
  held: 0.05,
  /** Of what the worker reached against a target of its own. */
  capacity: 0.8,
  /** Of the segments sent; TCP halves its speed long before that. */
  retransmits: 0.01,
  fewestRetransmits: 20,
  /** Of the connections opened; one that finds the queue full is tried again after a second. */
  overflows: 0.01,
  fewestOverflows: 10,
  triedAgainUs: 900_000,
  /** A thread of an observed process that works or waits for a core this much of the time. */
  process: 0.9,
  descriptors: 0.95,
  iowait: 0.5,
  /** Arrivals: this many dropped is a load that was not carried, this many answered is one that was. */
  dropped: 0.01,
  answered: 0.99,
  /** Of the connections, on average; and of the time that they wait for replies. */
  connections: 0.8,
  /** Of the connections' time: below it they pause more than they wait. */
  pausing: 0.5,
  /** Of the latency up to the first byte, and so many times as long as a connect takes. */
  firstByte: 0.5,
  roundTrips: 5,
  /** Enough to keep both ends at work at a time. */
  connectionsPerThread: 4,
  failed: 0.5,
  /** Between two cells: so many times the connections bring no more than this of the rate, and this much of so many times the latency. */
  timesConnections: 2,
  gained: 1.05,
  grown: 0.8,
} as const;
