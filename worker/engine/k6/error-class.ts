/** What a k6 request failed with, in our classes. https://grafana.com/docs/k6/latest/javascript-api/error-codes */
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';
import type { SampleTags } from './sample-tags.ts';

const BY_CODE: ReadonlyMap<number, ErrorClass> = new Map<number, ErrorClass>([
  [1050, 'timeout'],
  [1110, 'not-allowed'],
  [1111, 'not-allowed'],
  [1201, 'reset'],
  [1211, 'connect-timeout'],
  [1212, 'connect-refused'],
  [1220, 'reset'],
  [1701, 'body'],
]);

/** Codes of replies that came, by their status: 1400 to 1599. */
export function isNetworkError(code: number): boolean {
  return (code >= 1000 && code < 1400) || code >= 1600;
}

/** Undefined for a request that is completed. */
export function errorClassOf({ errorCode, error, expected }: SampleTags): ErrorClass | undefined {
  if (!isNetworkError(errorCode)) return expected === false ? 'status' : undefined;
  if (/too many open files/.test(error)) return 'local-fds';
  if (/cannot assign requested address|address already in use/.test(error)) return 'local-ports';
  const known = BY_CODE.get(errorCode);
  if (known !== undefined) return known;
  if (errorCode >= 1100 && errorCode < 1200) return 'dns';
  if (errorCode >= 1200 && errorCode < 1300) return errorCode < 1210 ? 'reset' : 'connect-refused';
  if (errorCode >= 1300 && errorCode < 1400) return 'tls';
  return /\bEOF\b/.test(error) ? 'closed-early' : 'protocol';
}
