/** How k6 is called: its flags and its environment. What differs from version to version is in shared/k6-version.ts. */
import type { K6Plan } from '../../../shared/domain/k6-plan.ts';
import { readScriptMetricName } from '../../../shared/domain/script-metric.ts';
import { addressFlags, k6Environment, noSummaryFlags } from '../../../shared/k6-version.ts';

export interface K6Command {
  file: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

export interface K6Call {
  binary: { path: string; version: string };
  plan: K6Plan;
  /** The archive, or the script in its unpacked bundle. */
  script: string;
  /** Where k6 runs. */
  folder: string;
  shard: { index: number; count: number };
}

/** Tags that samples are judged and told apart by. Each of the others costs k6 time for every sample. */
const NEEDED_TAGS = [
  'check',
  'error',
  'error_code',
  'expected_response',
  'group',
  'name',
  'scenario',
  'status',
] as const;
const SYSTEM_TAGS = [
  ...NEEDED_TAGS,
  'ip',
  'iter',
  'method',
  'ocsp_status',
  'proto',
  'service',
  'subproto',
  'tls_version',
  'url',
  'vu',
] as const;

export function inspectCommand({ binary, plan, script, folder }: K6Call): K6Command {
  return {
    file: binary.path,
    args: [
      'inspect',
      '--execution-requirements',
      '--include-system-env-vars',
      '--log-format=json',
      ...envFlags(plan.env),
      script,
    ],
    env: { ...environmentFor(plan), ...optionsOf(plan) },
    cwd: folder,
  };
}

/**
 * k6 waits for its start, runs one segment of the load, and stays after its end until it is told to go. It has no thresholds:
 * they are judged on what all processes measured. An empty set of thresholds rather than `--no-thresholds`, because with that
 * flag k6 sums nothing up, and its own account of the load is what ours is held against.
 * @param submetrics metrics with tags that somebody asks for
 */
export function runCommand(call: K6Call, submetrics: readonly string[], port: number): K6Command {
  const { binary, plan, script, folder, shard } = call;
  return {
    file: binary.path,
    args: [
      'run',
      '--quiet',
      '--paused',
      '--linger',
      '--no-setup',
      '--no-teardown',
      '--log-format=json',
      ...addressFlags(`127.0.0.1:${port}`),
      ...noSummaryFlags(binary.version),
      ...segmentFlags(shard),
      `--system-tags=${systemTags(submetrics).join(',')}`,
      ...Object.entries(plan.tags).flatMap(([name, value]) => ['--tag', `${name}=${value}`]),
      ...envFlags(plan.env),
      '--out',
      'csv=-',
      script,
    ],
    env: {
      ...environmentFor(plan),
      ...optionsOf(plan),
      K6_THRESHOLDS: '',
      K6_CSV_TIME_FORMAT: 'unix_micro',
      K6_CSV_SAVE_INTERVAL: '200ms',
    },
    cwd: folder,
  };
}

/** A shard's part of the load, `1/3:2/3`, and all parts, so that k6 splits without gaps. */
function segmentFlags({ index, count }: K6Call['shard']): string[] {
  if (count === 1) return [];
  const ends = Array.from({ length: count + 1 }, (_, i) =>
    i === 0 ? '0' : i === count ? '1' : `${i}/${count}`,
  );
  return [
    '--execution-segment',
    `${ends[index]}:${ends[index + 1]}`,
    '--execution-segment-sequence',
    ends.join(','),
  ];
}

function systemTags(submetrics: readonly string[]): string[] {
  const asked = submetrics.flatMap((name) => readScriptMetricName(name)?.tags.map(([key]) => key) ?? []);
  return [...new Set([...NEEDED_TAGS, ...SYSTEM_TAGS.filter((tag) => asked.includes(tag))])];
}

/** Those that k6 or the system would take for their own; the others travel in the environment, where nobody else sees them. */
const AS_FLAGS = /^(K6_|LD_|DYLD_|GO|OTEL_|XDG_)/;

function isOwn(name: string): boolean {
  return AS_FLAGS.test(name) || name in process.env;
}

function envFlags(env: Record<string, string>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (isOwn(name) ? ['--env', `${name}=${value}`] : []));
}

/** Options go as variables: `k6 inspect` takes no flags for them, and they go before the script's own all the same. */
function optionsOf({ vus, iterations, durationUs }: K6Plan): NodeJS.ProcessEnv {
  return {
    ...(vus !== undefined && { K6_VUS: String(vus) }),
    ...(iterations !== undefined && { K6_ITERATIONS: String(iterations) }),
    ...(durationUs !== undefined && { K6_DURATION: `${durationUs / 1_000}ms` }),
  };
}

/** A script sees the worker's environment, as with `k6 run`; it has no business with the worker's own token. */
function environmentFor({ env }: K6Plan): NodeJS.ProcessEnv {
  const own = Object.entries(k6Environment(process.env)).filter(([name]) => !name.startsWith('BROADSIDE_'));
  const scripts = Object.entries(env).filter(([name]) => !isOwn(name));
  return Object.fromEntries([...own, ...scripts]);
}
