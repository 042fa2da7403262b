/**
 * A scenario from the letters of ab, which keep ab's meaning, and from `--rate`, `--arrivals` and `--workers`. It goes through the
 * same checks as a file; only the words of the errors name flags instead of keys.
 */
import { BroadsideError } from '../errors.ts';
import { Refusal } from './fields.ts';
import { basicAuthorization, type HttpUrl, readHttpUrl } from './http-url.ts';
import { MOST_CONNECTIONS } from './load-keys.ts';
import { type Problem, pathText, ScenarioProblems, scenarioError, show } from './problem.ts';
import { redactUrl } from './redact.ts';
import { refuseHeader } from './request-fields.ts';
import type { Scenario, ScenarioSource } from './scenario.ts';
import { readBodyFile, readUrlsFile } from './scenario-files.ts';
import { escapeReferences } from './sweep.ts';
import { readPemFile } from './tls-files.ts';
import { parseRate } from './units.ts';
import { scenarioOrThrow } from './validate-scenario.ts';

/** As commander hands them over: texts, by their letters. */
export interface AbFlags {
  url: string;
  /** Requests in all; 1 when neither this nor a time limit nor a rate is given. */
  n?: string;
  /** Connections at a time, 1 when not given; with `rate` the most that may be open. */
  c?: string;
  /** Time limit in seconds; with `n`, what comes first ends the load. */
  t?: string;
  /** Keep connections alive; without it each request has a connection of its own. */
  k?: boolean;
  /** `Name: value`, each one header. */
  H?: string[];
  m?: string;
  /** File to send as the body: POST, or the method of `m`. */
  p?: string;
  /** Content type of the body, `text/plain` when not given. */
  T?: string;
  /** `user:password` for basic authentication. */
  A?: string;
  /** Seconds to wait for a reply (and for a connection), 30 when not given. */
  s?: string;
  /** Arrivals a second instead of a closed loop; needs `t`. */
  rate?: string;
  /** `even`, which they are when not given, or `poisson`; needs `rate`. */
  arrivals?: string;
  /** A file of URLs or paths to load one after another; `url` then says at which server. */
  urls?: string;
  workers?: string;
  /** https: take any certificate. */
  insecure?: boolean;
  /** https: PEM files; the authorities to believe, the client's own certificate, its key. */
  cacert?: string;
  cert?: string;
  key?: string;
}

/** @throws BroadsideError USAGE naming the flag and the expected form, or FILE_UNREADABLE for the body's file. */
export function scenarioFromFlags(flags: AbFlags): Scenario {
  const url = readHttpUrl(flags.url);
  if (url instanceof Refusal) throw usage('the URL', url.message);
  const { origin } = url;
  const method = methodOf(flags);
  const timeout = `${wholeNumber('-s', flags.s, 'seconds') ?? 30}s`;
  const source: ScenarioSource = {
    name: `${method} ${origin}${redactUrl(url.path === '' ? '/' : url.path)}`.slice(0, 200),
    targets: { [new URL(origin).host]: origin },
    request: {
      method,
      ...(flags.urls === undefined && { path: pathOf(url) }),
      headers: headersOf(flags, url.credentials),
      ...(flags.p !== undefined && { bodyBase64: readBodyFile(flags.p) }),
      timeout,
      connectTimeout: timeout,
    },
    ...(flags.urls !== undefined && { urls: urlsOf(flags.urls, url) }),
    ...tlsOf(flags),
    load: flags.rate === undefined ? closedLoad(flags) : openLoad(flags, flags.rate),
    ...(flags.workers !== undefined && {
      workers: { count: wholeNumber('--workers', flags.workers, 'workers') },
    }),
  };
  try {
    return scenarioOrThrow(source, 'command line');
  } catch (error) {
    if (!(error instanceof ScenarioProblems)) throw error;
    const ofFile = error.problems.map((problem) => fileProblem(problem, flags)).find((one) => one);
    throw ofFile ?? new BroadsideError('USAGE', scenarioError(error.problems, 'command line').message);
  }
}

/** What is wrong in a file that a flag names is told of the flag. */
function fileProblem({ path, message }: Problem, { cacert, cert, key }: AbFlags): BroadsideError | undefined {
  const flags: Record<string, [flag: string, file: string | undefined]> = {
    'tls.caPem': ['--cacert', cacert],
    'tls.certPem': ['--cert', cert],
    'tls.keyPem': ['--key', key],
  };
  const [flag, file] = flags[pathText(path)] ?? [];
  return flag === undefined ? undefined : usage(flag, `${file}: ${message}`);
}

function pathOf({ path }: HttpUrl): string {
  return escapeReferences(path.startsWith('/') ? path : `/${path}`);
}

function urlsOf(file: string, { origin, path }: HttpUrl): ScenarioSource['urls'] {
  if (path !== '' && path !== '/') {
    const message = `has the paths, so give the URL of the server alone: ${origin}`;
    throw usage('--urls', message);
  }
  return readUrlsFile('.', file);
}

function tlsOf({ insecure, cacert, cert, key }: AbFlags): Pick<ScenarioSource, 'tls'> {
  const given = Object.entries({ '--insecure': insecure, '--cacert': cacert, '--cert': cert, '--key': key });
  if (given.every(([, value]) => value === undefined)) return {};
  if ((cert === undefined) !== (key === undefined))
    throw usage(cert === undefined ? '--key' : '--cert', 'a client certificate needs both --cert and --key');
  return {
    tls: {
      ...(insecure === true && { insecure }),
      ...(cacert !== undefined && { caPem: readPemFile(cacert) }),
      ...(cert !== undefined && { certPem: readPemFile(cert) }),
      ...(key !== undefined && { keyPem: readPemFile(key) }),
    },
  };
}

function closedLoad(flags: AbFlags): ScenarioSource['load'] {
  if (flags.arrivals !== undefined) throw usage('--arrivals', 'needs --rate, the arrivals a second');
  const requests = wholeNumber('-n', flags.n, 'requests');
  const seconds = wholeNumber('-t', flags.t, 'seconds');
  return {
    executor: 'constant-connections',
    connections: connectionsOf(flags) ?? 1,
    ...(seconds !== undefined && { duration: `${seconds}s` }),
    ...(requests !== undefined && { requests }),
    ...(requests === undefined && seconds === undefined && { requests: 1 }),
    keepAlive: flags.k === true,
  };
}

function openLoad(flags: AbFlags, text: string): ScenarioSource['load'] {
  const rate = /^\d+(\.\d+)?$/.test(text) ? Number(text) : parseRate(text);
  if (rate === undefined || rate <= 0) {
    throw usage('--rate', `${show(text)} is not a rate more than 0, such as 1500 or 1500/s`);
  }
  if (flags.n !== undefined) {
    throw usage(
      '-n',
      'does not go with --rate, where the number of requests is rate × -t; leave one of them out',
    );
  }
  const seconds = wholeNumber('-t', flags.t, 'seconds');
  if (seconds === undefined)
    throw usage('--rate', 'needs -t, the seconds to keep the rate up, such as -t 30');
  if (flags.arrivals !== undefined && flags.arrivals !== 'even' && flags.arrivals !== 'poisson') {
    throw usage('--arrivals', `${show(flags.arrivals)} is not known; expected even or poisson`);
  }
  const connections = connectionsOf(flags);
  return {
    executor: 'constant-arrival-rate',
    rate,
    duration: `${seconds}s`,
    ...(connections !== undefined && { maxConnections: connections }),
    ...(flags.arrivals !== undefined && { arrivals: flags.arrivals }),
    keepAlive: flags.k === true,
  };
}

function connectionsOf(flags: AbFlags): number | undefined {
  return wholeNumber('-c', flags.c, 'connections', MOST_CONNECTIONS);
}

const LONGEST_SECONDS = 31_536_000;

function wholeNumber(flag: string, text: string | undefined, of: string, most?: number): number | undefined {
  if (text === undefined) return undefined;
  const limit = most ?? (of === 'seconds' ? LONGEST_SECONDS : Number.MAX_SAFE_INTEGER);
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= limit) return value;
  if (value > limit) throw usage(flag, `${show(text)} is too many ${of}; at most ${limit}`);
  throw usage(flag, `${show(text)} is not a whole number of ${of}, 1 or more`);
}

function methodOf(flags: AbFlags): string {
  const method = flags.m ?? (flags.p === undefined ? 'GET' : 'POST');
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method)) {
    throw usage('-m', `${show(method)} is not a method such as GET or POST`);
  }
  return method;
}

/** In ab's order of precedence: what is given with -H is sent as it is, and nothing is added beside it. */
function headersOf(flags: AbFlags, urlCredentials: string | undefined): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  const given = (name: string) =>
    [...headers.keys()].find((other) => other.toLowerCase() === name.toLowerCase());
  const add = (flag: string, name: string, value: string) => {
    const refusal = refuseHeader(name, value);
    if (refusal !== undefined) throw usage(flag, refusal.message);
    const known = given(name) ?? name;
    headers.set(known, [...(headers.get(known) ?? []), escapeReferences(value)]);
  };
  for (const line of flags.H ?? []) {
    const colon = line.indexOf(':');
    if (colon < 1) throw usage('-H', `${show(line)} is not a header such as "Accept: text/html"`);
    add('-H', line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  if (flags.T !== undefined && flags.p === undefined) {
    throw usage('-T', 'is the content type of a body; give the body with -p FILE');
  }
  if (flags.T !== undefined) add('-T', 'Content-Type', flags.T);
  else if (flags.p !== undefined && given('content-type') === undefined)
    add('-T', 'Content-Type', 'text/plain');
  if (flags.A !== undefined && !flags.A.includes(':')) throw usage('-A', 'expected user:password');
  const credentials = flags.A ?? urlCredentials;
  if (credentials !== undefined && given('authorization') === undefined) {
    add('-A', 'Authorization', basicAuthorization(credentials));
  }
  return Object.fromEntries(headers);
}

function usage(flag: string, problem: string): BroadsideError {
  return new BroadsideError('USAGE', `${flag}: ${problem}`);
}
