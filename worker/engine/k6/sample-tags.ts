/** What a k6 sample is tagged with. Samples share them: one object for each different set of tags. */

export class SampleTags {
  /** Every tag that is not empty, also the script's own. */
  readonly all: ReadonlyMap<string, string>;
  /** Of the request; its URL where the script gives none. */
  readonly name: string;
  /** HTTP status; 0 where there was no reply. */
  readonly status: number;
  /** Path, `::login`; empty outside of groups. */
  readonly group: string;
  readonly check: string;
  readonly scenario: string;
  /** https://grafana.com/docs/k6/latest/javascript-api/error-codes; 0 without an error. */
  readonly errorCode: number;
  readonly error: string;
  /** Whether the script takes the reply for a good one; undefined where it does not judge. */
  readonly expected: boolean | undefined;
  /** Which series a sample with these tags counts in, by the metric's name; whoever counts keeps it here. */
  readonly series = new Map<string, readonly number[]>();

  constructor(all: ReadonlyMap<string, string>) {
    this.all = all;
    const text = (key: string): string => all.get(key) ?? '';
    this.name = text('name');
    this.status = Number(text('status')) || 0;
    this.group = text('group');
    this.check = text('check');
    this.scenario = text('scenario');
    this.errorCode = Number(text('error_code')) || 0;
    this.error = text('error');
    const expected = all.get('expected_response');
    this.expected = expected === undefined ? undefined : expected === 'true';
  }
}
