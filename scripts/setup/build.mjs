/** The build: dist/ made anew when a source is newer, and free of what has no source any more. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { run, SetupError, say } from './console.mjs';

const SOURCE_DIRECTORIES = ['shared', 'worker', 'coordinator', 'test'];
const SOURCE_FILES = ['tsconfig.json', 'package-lock.json'];

/** All files below `directory`, sorted; none when it does not exist. */
export function filesBelow(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A digest of every source's name, size and time: any edit, addition, removal or change of branch alters it. */
export function sourcesDigest(root) {
  const digest = createHash('sha256');
  const sources = SOURCE_DIRECTORIES.flatMap((directory) =>
    filesBelow(join(root, directory)).filter((file) => file.endsWith('.ts')),
  );
  for (const file of [...sources, ...SOURCE_FILES.map((name) => join(root, name))]) {
    const { size, mtimeMs } = statSync(file);
    digest.update(`${relative(root, file)}\0${size}\0${mtimeMs}\n`);
  }
  return digest.digest('hex');
}

/**
 * Compiled files whose source is gone. tsc leaves them, and a test among them would go on being run. Only files with
 * a source map beside them are the compiler's.
 */
export function staleOutputs(root) {
  const dist = join(root, 'dist');
  return filesBelow(dist)
    .filter((file) => file.endsWith('.js') && existsSync(`${file}.map`))
    .filter((file) => !existsSync(join(root, relative(dist, file)).replace(/\.js$/, '.ts')))
    .flatMap((file) => [file, `${file}.map`]);
}

/** Compiles when a source is newer than what was compiled last. */
export async function ensureBuild(root) {
  for (const file of staleOutputs(root)) rmSync(file);
  const stamp = join(root, 'dist', '.built');
  const digest = sourcesDigest(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  say('building: tsc -p tsconfig.json');
  const code = await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.json'], { cwd: root });
  if (code !== 0) throw new SetupError('the build failed (above)');
  for (const bin of Object.values(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).bin ?? {})) {
    if (existsSync(join(root, bin))) chmodSync(join(root, bin), 0o755);
  }
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, digest);
}
