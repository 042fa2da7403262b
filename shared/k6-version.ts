/**
 * In what k6 differs from version to version, as far as it matters here, and what is always said to it. k6 1.0 and later,
 * 2.x among them, are driven; whatever one of them wants otherwise is said in this file.
 */

/** A binary as a worker tells of it. `extensions`: import paths of modules, names of outputs, Go modules. */
export interface K6Facts {
  version: string;
  extensions: string[];
}

/** Among the extensions of a k6 that fetches by itself what scripts import. */
export const ANY_EXTENSION = '*';

/** Negative when `a` is older than `b`; what follows `-` or `+` does not count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a) ?? [], parts(b) ?? []];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parts(version: string): number[] | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-+].*)?$/.exec(version.trim());
  return match?.slice(1).map((part) => Number(part ?? 0));
}

export function isVersion(text: string): boolean {
  return parts(text) !== undefined;
}

/** Before it, options and outputs were others. */
export const OLDEST_K6 = '1.0.0';

/** Variables by which k6 takes options of a test: what the scenario says must not depend on a worker's shell. */
const TEST_OPTIONS =
  /^K6_(VUS|ITERATIONS|DURATION|STAGES|OUT|PAUSED|LINGER|ADDRESS|TYPE|NO_SETUP|NO_TEARDOWN|NO_THRESHOLDS|NO_SUMMARY|SUMMARY_\w+|EXECUTION_SEGMENT\w*|SCENARIOS|RPS|TAGS|LOG_OUTPUT|LOG_FORMAT|CONSOLE_OUTPUT|NO_COLOR|INCLUDE_SYSTEM_ENV_VARS)$/;

/** 1.2 renamed it; each version looks at its own. */
const FETCHING_EXTENSIONS = ['K6_AUTO_EXTENSION_RESOLUTION', 'K6_BINARY_PROVISIONING'];

/** Whether the operator wants k6 to fetch extensions by itself. */
export function fetchesExtensions(own: NodeJS.ProcessEnv): boolean {
  return FETCHING_EXTENSIONS.some((name) => own[name] === 'true');
}

/** What a program needs, and what extensions, the browser and Go are set up with. */
const KEPT =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|DISPLAY|WAYLAND_DISPLAY|XDG_\w+|SSL_CERT_\w+|\w+_proxy|GO[A-Z]+|K6_\w+)$/i;

/**
 * The environment of a k6 process: no reports of usage to its makers, no fetching of extensions (unless the operator has
 * set the variable that asks for it), no options of the test, and nothing that a script, which sees all of it and may
 * come from somebody else, has no use for.
 */
export function k6Environment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(own).filter(([name]) => KEPT.test(name) && !TEST_OPTIONS.test(name));
  return {
    ...Object.fromEntries(FETCHING_EXTENSIONS.map((name) => [name, 'false'])),
    ...Object.fromEntries(kept),
    K6_NO_USAGE_REPORT: 'true',
    NO_COLOR: '1',
  };
}

/**
 * How a script gets its variables: in the environment, for a list of processes shows arguments to everybody; but as flags
 * where k6, or the system, would take them for its own.
 */
export function k6Variables(
  own: NodeJS.ProcessEnv,
  variables: Readonly<Record<string, string>>,
): { env: NodeJS.ProcessEnv; flags: string[] } {
  const env = k6Environment(own);
  const flags = ['--include-system-env-vars'];
  for (const [name, value] of Object.entries(variables)) {
    if (KEPT.test(name) || Object.hasOwn(env, name)) flags.push('-e', `${name}=${value}`);
    else env[name] = value;
  }
  return { env, flags };
}

/** Flags of `k6 run` with which it prints no summary at its end. */
export function noSummaryFlags(version: string): string[] {
  return compareVersions(version, '1.3.0') < 0 ? ['--no-summary'] : ['--summary-mode=disabled'];
}

/** Flags with which k6 serves its REST API: 2.x does so only where it is told to, 1.x always, on a port of its own choice. */
export function addressFlags(address: string): string[] {
  return ['--address', address];
}
