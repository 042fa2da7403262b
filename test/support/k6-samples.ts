/** Samples as k6's JSON output has them. */

export interface RawSample {
  metric: string;
  /** Since the epoch. */
  timeUs: number;
  value: number;
  tags: Record<string, string>;
}

/** k6's JSON output. */
export function readSamples(json: string): RawSample[] {
  return json
    .split('\n')
    .filter((line) => line.startsWith('{"metric"'))
    .map((line) => {
      const { metric, data } = JSON.parse(line) as {
        metric: string;
        data: { time: string; value: number; tags: Record<string, string> | null };
      };
      return { metric, timeUs: microseconds(data.time), value: data.value, tags: data.tags ?? {} };
    });
}

/** RFC 3339 with up to nine decimals; what is below a microsecond is cut off, as k6 does. */
function microseconds(time: string): number {
  const [, seconds, fraction = '', zone] = /^(.*:\d\d)(?:\.(\d+))?(Z|[+-].*)$/.exec(time)!;
  return Date.parse(`${seconds}${zone}`) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
