/** The peers that this machine has. Each drives its load from one thread, kept-alive, as Broadside's worker does. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/cli.ts';
import { pinned } from '../support/pinning.ts';
import type { BenchLoad, Contender, Measured } from './contender.ts';
import { type Outcome, readAb, readAutocannon, readH2load, readHey, readK6, readWrk } from './peer-output.ts';
import { endedChildrenCpuSeconds, peakResidentBytes } from './processes.ts';

export interface PeerSurroundings {
  /** Keep peers on this core. */
  core: number | undefined;
  /** For their files. */
  directory: string;
  /** Ends the peer that is running. */
  signal: AbortSignal;
}

interface Peer {
  name: string;
  command: string;
  /** Put before all arguments. */
  script?: string;
  /** Prints the version. */
  versionArgs: string[];
  version: RegExp;
  args(load: BenchLoad, directory: string): string[];
  /** Where it writes its result, when not on stdout. */
  resultFile?: string;
  read(result: string): Outcome;
}

/** ab takes the memory for this many results at once, and stops there. */
const AB_MOST_REQUESTS = 5_000_000;

const AUTOCANNON = path.join(ROOT, 'node_modules', 'autocannon', 'autocannon.js');
const K6_RESULT = 'k6-summary.json';

const PEERS: readonly Peer[] = [
  {
    name: 'wrk',
    command: 'wrk',
    versionArgs: ['-v'],
    version: /^wrk (\S+)/m,
    args: ({ url, connections, seconds }) => ['-t1', `-c${connections}`, `-d${seconds}s`, url],
    read: readWrk,
  },
  {
    name: 'ab',
    command: 'ab',
    versionArgs: ['-V'],
    version: /Version (\S+)/,
    // -t means 50,000 requests at most, unless -n comes after it.
    args: ({ url, connections, seconds }) => [
      ...['-q', '-k', '-c', `${connections}`],
      ...['-t', `${seconds}`, '-n', `${AB_MOST_REQUESTS}`, url],
    ],
    read: readAb,
  },
  {
    name: 'autocannon',
    command: process.execPath,
    script: AUTOCANNON,
    versionArgs: ['--version'],
    version: /autocannon v(\S+)/,
    args: ({ url, connections, seconds }) => ['-n', '-j', '-c', `${connections}`, '-d', `${seconds}`, url],
    read: readAutocannon,
  },
  {
    name: 'hey',
    command: 'hey',
    versionArgs: ['-h'],
    // hey does not say its version.
    version: /^Usage: (hey)/m,
    args: ({ url, connections, seconds }) => ['-cpus', '1', '-c', `${connections}`, '-z', `${seconds}s`, url],
    read: readHey,
  },
  {
    name: 'h2load',
    command: 'h2load',
    versionArgs: ['--version'],
    version: /nghttp2\/(\S+)/,
    args: ({ url, connections, seconds }) => [
      ...['--h1', '-t1', `-c${connections}`, '-D', `${seconds}`],
      url,
    ],
    read: readH2load,
  },
  {
    name: 'k6',
    command: 'k6',
    versionArgs: ['version'],
    version: /k6 v(\S+)/,
    args: ({ url, connections, seconds }, directory) => {
      const script = path.join(directory, 'k6.js');
      writeFileSync(script, K6_SCRIPT);
      return [
        ...['run', '--quiet', '--no-usage-report', '--summary-export', path.join(directory, K6_RESULT)],
        ...['--vus', `${connections}`, '--duration', `${seconds}s`, '-e', `TARGET=${url}`, script],
      ];
    },
    resultFile: K6_RESULT,
    read: readK6,
  },
];

const K6_SCRIPT = `import http from 'k6/http';
export const options = { discardResponseBodies: true };
export default () => { http.get(__ENV.TARGET); };
`;

export const PEER_NAMES: readonly string[] = PEERS.map(({ name }) => name);

/** Those of the named peers that are there. */
export function findPeers(names: readonly string[], surroundings: PeerSurroundings): Contender[] {
  return PEERS.filter(({ name }) => names.includes(name)).flatMap((peer) => {
    const version = versionOf(peer);
    return version === undefined
      ? []
      : { name: peer.name, version, run: (load: BenchLoad) => runPeer(peer, load, surroundings) };
  });
}

/** undefined when the peer is not there. */
function versionOf(peer: Peer): string | undefined {
  if (peer.script !== undefined && !existsSync(peer.script)) return undefined;
  const { error, stdout, stderr } = spawnSync(peer.command, [...scriptOf(peer), ...peer.versionArgs], {
    encoding: 'utf8',
  });
  if (error !== undefined) return undefined;
  const version = peer.version.exec(stdout + stderr)?.[1];
  return version === undefined || version === peer.name ? '(does not say its version)' : version;
}

function scriptOf({ script }: Peer): string[] {
  return script === undefined ? [] : [script];
}

async function runPeer(
  peer: Peer,
  load: BenchLoad,
  { core, directory, signal }: PeerSurroundings,
): Promise<Measured> {
  const cpuBefore = endedChildrenCpuSeconds();
  const [command, args] = pinned(core, peer.command, [...scriptOf(peer), ...peer.args(load, directory)]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], signal, killSignal: 'SIGKILL' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  let residentBytes: number | undefined;
  const watching = setInterval(() => {
    residentBytes = peakResidentBytes(child.pid!) ?? residentBytes;
  }, 100);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearInterval(watching));
  if (code !== 0)
    throw new Error(`${peer.name} ended with ${code}: ${(stderr || stdout).trim().slice(-300)}`);
  const cpuAfter = endedChildrenCpuSeconds();
  const result =
    peer.resultFile === undefined ? stdout : readFileSync(path.join(directory, peer.resultFile), 'utf8');
  return {
    ...peer.read(result),
    ...(cpuBefore === undefined || cpuAfter === undefined ? {} : { cpuSeconds: cpuAfter - cpuBefore }),
    ...(residentBytes === undefined ? {} : { residentBytes }),
  };
}
