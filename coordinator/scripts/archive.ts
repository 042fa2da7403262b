/** `k6 archive`: a script with all that its init code loads, as k6 itself finds it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { extract } from 'tar';
import type { ScriptPackage } from '../../shared/domain/k6-plan.ts';
import { BroadsideError, messageOf } from '../../shared/errors.ts';
import type { K6Binary } from '../../shared/k6-binary.ts';
import { k6Variables } from '../../shared/k6-version.ts';
import { packFolder } from './pack-folder.ts';

/** Init code may read large files; it may also never end. */
const ARCHIVED_WITHIN_MS = 120_000;
const MOST_LOG_CHARACTERS = 64 * 1024;
const MOST_MESSAGE_CHARACTERS = 2_000;

export interface ArchiveOptions {
  k6: K6Binary;
  /** Absolute. */
  script: string;
  /** What files of this machine may come from, absolute. */
  root: string;
  /** For the script's `__ENV`; none of it is written into the archive. */
  env: Record<string, string>;
  /** Of this use alone. */
  folder: string;
  into: string;
  withinMs?: number;
}

/**
 * @returns undefined when the binary lacks an extension that the script imports, which workers may have
 * @throws BroadsideError SCENARIO_INVALID with what k6 says is wrong with the script
 */
export async function archiveScript(options: ArchiveOptions): Promise<ScriptPackage | undefined> {
  const { k6, script, root, env, folder, into, withinMs = ARCHIVED_WITHIN_MS } = options;
  const made = path.join(folder, 'made.tar');
  const { code, log } = await runArchive(k6, script, env, made, withinMs);
  if (code === undefined) {
    const message = `${script}: its init code did not end within ${withinMs / 1_000} s of \`k6 archive\``;
    throw new BroadsideError('SCENARIO_INVALID', message);
  }
  if (code !== 0) {
    const message = readError(log);
    if (/unknown modules? .*k6\/x\/|custom k6 binary/.test(message)) return undefined;
    throw new BroadsideError('SCENARIO_INVALID', `${script}: ${message}`, {
      hint: `said by ${k6.path}, which looked at the script before any load`,
    });
  }
  const unpacked = path.join(folder, 'archive');
  await mkdir(unpacked);
  await extract({ file: made, cwd: unpacked, strict: true });
  const entries = await readdir(unpacked, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      path.relative(unpacked, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'),
    )
    .sort();
  refuseOutside(names, root, script);
  return packFolder(unpacked, names, { kind: 'archive' }, into);
}

/** @returns without a code when it took too long */
async function runArchive(
  { path: binary }: K6Binary,
  script: string,
  env: Record<string, string>,
  into: string,
  withinMs: number,
): Promise<{ code?: number | null; log: string }> {
  const variables = k6Variables(process.env, env);
  const child = spawn(
    binary,
    ['archive', '--log-format=json', '--exclude-env-vars', ...variables.flags, '-O', into, script],
    {
      cwd: path.dirname(script),
      env: variables.env,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    if (log.length < MOST_LOG_CHARACTERS) log += part;
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, withinMs);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return late ? { log } : { code, log };
  } catch (error) {
    throw new BroadsideError('K6_UNUSABLE', `${binary} cannot be started: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** The first error that k6 logs, without what only says again which script it is. */
function readError(log: string): string {
  for (const line of log.split('\n')) {
    let entry: { level?: unknown; msg?: unknown };
    try {
      entry = JSON.parse(line);
    } catch {
      continue;
    }
    if (entry.level !== 'error' || typeof entry.msg !== 'string') continue;
    return entry.msg
      .replace(/^could not initialize '[^']*': could not load JS test '[^']*': /, '')
      .trim()
      .slice(0, MOST_MESSAGE_CHARACTERS);
  }
  return `k6 archive failed: ${log.trim().slice(0, MOST_MESSAGE_CHARACTERS) || 'it said nothing'}`;
}

/** k6 writes a home as that of nobody into an archive. */
const HOME = /^(\/[a-z])?\/(Users|home|Documents and Settings)\/[^/]+/i;

function refuseOutside(names: readonly string[], root: string, script: string): void {
  const inside = `${root.replace(HOME, '$1/$2/nobody').replace(/\/$/, '')}/`;
  const outside = names.find(
    (name) => name.startsWith('file/') && !name.slice('file'.length).startsWith(inside),
  );
  if (outside === undefined) return;
  throw new BroadsideError(
    'SCENARIO_INVALID',
    `${script}: it loads ${outside.slice('file'.length)}, which is outside of ${root}; what a script needs is sent to workers from there alone`,
    { hint: 'to send more: --script-root DIR' },
  );
}
