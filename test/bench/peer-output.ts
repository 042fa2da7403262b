/** What the peers print, read into the same few numbers. Pure; throws when an output is not as expected. */
import type { Measured } from './contender.ts';

export type Outcome = Pick<Measured, 'requests' | 'seconds' | 'failed'>;

/** The number that the pattern's first group matches. */
function number(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`an output without ${pattern}:\n${text.slice(0, 2_000)}`);
  return Number(found);
}

/** The same for lines that are printed only when there is something to say. */
function numberIfSaid(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

export function readWrk(text: string): Outcome {
  const bad = numberIfSaid(text, /Non-2xx or 3xx responses: (\d+)/);
  const [, ...socket] =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text) ?? [];
  const [, duration, unit] = /requests in ([\d.]+)(ms|s|m),/.exec(text) ?? [];
  if (duration === undefined) throw new Error(`wrk gave no duration:\n${text.slice(0, 2_000)}`);
  return {
    requests: number(text, /(\d+) requests in/) - bad,
    seconds: Number(duration) * { ms: 0.001, s: 1, m: 60 }[unit as 'ms' | 's' | 'm'],
    failed: bad + socket.reduce((sum, count) => sum + Number(count), 0),
  };
}

export function readAb(text: string): Outcome {
  // A reply with another status is complete for ab, and one of another length "failed": both completed here.
  const bad = numberIfSaid(text, /^Non-2xx responses:\s+(\d+)/m);
  const failed = number(text, /^Failed requests:\s+(\d+)/m);
  return {
    requests: number(text, /^Complete requests:\s+(\d+)/m) - bad - failed,
    seconds: number(text, /^Time taken for tests:\s+([\d.]+) seconds/m),
    failed: bad + failed,
  };
}

export function readH2load(text: string): Outcome {
  const succeeded = number(text, /^requests: .* (\d+) succeeded/m);
  const good = number(text, /^status codes: (\d+) 2xx/m);
  return {
    requests: good,
    seconds: number(text, /^finished in ([\d.]+)s/m),
    failed: succeeded - good + number(text, / (\d+) failed/) + number(text, / (\d+) timeout/),
  };
}

export function readHey(text: string): Outcome {
  const statuses = [...text.matchAll(/^\s+\[(\d{3})\]\s+(\d+) responses/gm)];
  const count = (good: boolean): number =>
    statuses.reduce(
      (sum, [, status, responses]) => sum + ((status === '200') === good ? Number(responses) : 0),
      0,
    );
  const errors = [...(text.split('Error distribution:')[1] ?? '').matchAll(/^\s+\[(\d+)\]/gm)];
  return {
    requests: count(true),
    seconds: number(text, /Total:\s+([\d.]+) secs/),
    failed: count(false) + errors.reduce((sum, [, times]) => sum + Number(times), 0),
  };
}

/** autocannon's --json. */
export function readAutocannon(text: string): Outcome {
  const result = JSON.parse(text) as Record<'2xx' | 'non2xx' | 'errors' | 'duration', number>;
  return {
    requests: result['2xx'],
    seconds: result.duration,
    failed: result.non2xx + result.errors,
  };
}

/** k6's --summary-export. */
export function readK6(text: string): Outcome {
  const { http_reqs: all, http_req_failed: failed } = (
    JSON.parse(text) as { metrics: Record<string, { count: number; rate: number; passes: number }> }
  ).metrics;
  if (all === undefined || failed === undefined) throw new Error('a k6 summary without http_reqs');
  return { requests: all.count - failed.passes, seconds: all.count / all.rate, failed: failed.passes };
}
