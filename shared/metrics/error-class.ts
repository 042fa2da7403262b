/** Why a request failed. Classes are disjoint: a failed request has exactly one. */
export const ERROR_CLASSES = [
  'dns',
  'connect-refused',
  'connect-timeout',
  'tls',
  'reset',
  'closed-early',
  'timeout',
  'protocol',
  'unframed',
  'local-fds',
  'local-ports',
  'not-allowed',
  'status',
  'length',
  'body',
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** The generator's own failures: they say nothing about the target. */
export const GENERATOR_ERRORS: readonly ErrorClass[] = ['local-fds', 'local-ports', 'not-allowed'];

/** The first error of a class, kept because the thousandth of its kind has scrolled away by morning. */
export interface FirstError {
  class: ErrorClass;
  /** What happened, for a person. */
  message: string;
  /** µs since the trial's start, on the coordinator's clock. */
  atUs: number;
  worker?: string;
}
