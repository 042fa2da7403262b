/** The targets that a bench is held to, and how far the server of the bench lets anybody get. */
import type { BenchResults, CaseResult, ContenderResult, TargetResult } from './results.ts';
import { spreadOf } from './turns.ts';

/** One thread, kept alive, pinned; the worker's connections and the start are Broadside's own. */
export function targetsOf({
  cases,
  footprint,
  threads,
}: Pick<BenchResults, 'cases' | 'footprint' | 'threads'>): TargetResult[] {
  const peer = (bodyBytes: number, name: string, secure = false): ContenderResult | undefined =>
    cases
      .find((one) => one.bodyBytes === bodyBytes && one.connections === 16 && one.secure === secure)
      ?.contenders.find((contender) => contender.name === name);
  const rateOver = (bodyBytes: number, name: string): number | undefined =>
    peer(bodyBytes, name)?.requestRateRatio?.median;
  const { residentBytes } = footprint;
  const startMs = spreadOf(footprint.embeddedStartMs)?.median;
  const mib = 1024 ** 2;
  return [
    judge({ what: "25 B: request rate over ab -k's", unit: '×', atLeast: 1 }, rateOver(25, 'ab')),
    judge(
      { what: "25 B: request rate over autocannon's", unit: '×', atLeast: 4 },
      rateOver(25, 'autocannon'),
    ),
    judge({ what: "25 B: request rate over hey's", unit: '×', atLeast: 6 }, rateOver(25, 'hey')),
    judge({ what: "25 B: request rate over wrk's", unit: '×', atLeast: 0.95 }, rateOver(25, 'wrk')),
    judge(
      { what: "25 B: client CPU per request over wrk's", unit: '×', atMost: 1.25 },
      peer(25, 'wrk')?.cpuRatio?.median,
    ),
    judge(
      { what: "25 B over TLS: request rate over autocannon's", unit: '×', atLeast: 2 },
      peer(25, 'autocannon', true)?.requestRateRatio?.median,
    ),
    judge({ what: "1 MiB: transfer rate over wrk's", unit: '×', atLeast: 0.95 }, rateOver(mib, 'wrk')),
    judge(
      { what: 'two threads, by CPU: requests over those of one', unit: '×', atLeast: 1.8 },
      threads.scaling?.median,
    ),
    judge(
      { what: `worker memory at ${footprint.connections} connections`, unit: 'MB', atMost: 150 },
      residentBytes === undefined ? undefined : residentBytes / 1e6,
    ),
    judge(
      { what: 'coordinator run -n 1, wall time', unit: 's', atMost: 2 },
      startMs === undefined ? undefined : startMs / 1_000,
    ),
  ];
}

function judge(target: Omit<TargetResult, 'value' | 'met'>, value: number | undefined): TargetResult {
  if (value === undefined) return target;
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target;
  return { ...target, value, met: value >= atLeast && value <= atMost };
}

/** How far a rate over a slow peer's can go at all, before the server's one core ends it. */
export interface Ceiling {
  /** Name of the case. */
  what: string;
  /** The peer that the ratio is over. */
  over: string;
  fastest: string;
  /** The rate of the fastest peer over that of the other, medians of the same run. */
  ratio: number;
}

/** The peers that a target asks for a multiple of. */
const SLOW_PEERS = ['autocannon', 'hey'];

/** For every case with such a peer and another that is faster. */
export function ceilingsOf(cases: readonly CaseResult[]): Ceiling[] {
  return cases.flatMap(({ name, contenders: [, ...peers] }) => {
    const rated = peers.flatMap((peer) =>
      peer.requestRate === undefined ? [] : [{ name: peer.name, rate: peer.requestRate }],
    );
    const [fastest] = rated.toSorted((a, b) => b.rate - a.rate);
    return rated.flatMap((slow) =>
      fastest === undefined || slow === fastest || !SLOW_PEERS.includes(slow.name)
        ? []
        : { what: name, over: slow.name, fastest: fastest.name, ratio: fastest.rate / slow.rate },
    );
  });
}
