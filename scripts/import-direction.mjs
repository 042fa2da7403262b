/**
 * The direction of imports (DESIGN "Layout"): coordinator → shared ← worker, never coordinator ↔ worker; inside shared
 * protocol → metrics → domain; no cycles. And what only a published build would show: the product imports no test,
 * no script and no devDependency; the set-up scripts import nothing that `npm ci` has yet to install.
 *
 * `node scripts/import-direction.mjs` prints what is wrong and exits 1.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './setup/build.mjs';

/** Which zones a file of a zone may import, besides its own. A zone is a directory; `shared` is its top files only. */
const MAY_IMPORT = {
  'shared/domain': ['shared'],
  'shared/metrics': ['shared', 'shared/domain'],
  'shared/protocol': ['shared', 'shared/domain', 'shared/metrics'],
  shared: [],
  worker: ['shared', 'shared/domain', 'shared/metrics', 'shared/protocol'],
  coordinator: ['shared', 'shared/domain', 'shared/metrics', 'shared/protocol'],
  test: ['shared', 'shared/domain', 'shared/metrics', 'shared/protocol', 'worker', 'coordinator'],
  scripts: [],
};

/** `import … from 'x'`, `export … from 'x'` and `import 'x'` at the start of a line; dynamic imports anywhere. */
const SPECIFIER =
  /^(?:import|export)\s(?:[\w$*,{}\s]+\sfrom\s)?\s*(['"])(?<from>[^'"\n]+)\1|\bimport\(\s*(['"])(?<dynamic>[^'"\n]+)\3\s*\)/gm;

/** The modules that a source names, in order. */
export function importsOf(source) {
  return [...source.matchAll(SPECIFIER)].map((match) => match.groups.from ?? match.groups.dynamic);
}

function zoneOf(path) {
  const zones = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);
  return zones.find((zone) => path.startsWith(`${zone}/`));
}

/**
 * @param {Map<string, string>} sources path from the top (with `/`) → text
 * @param {Set<string>} dependencies packages that are installed for the product
 * @returns {string[]} one sentence a problem, sorted
 */
export function importProblems(sources, dependencies) {
  const problems = [];
  const graph = new Map();
  for (const [path, source] of sources) {
    const zone = zoneOf(path);
    const local = [];
    for (const name of importsOf(source)) {
      if (name.startsWith('.')) {
        const target = relative(resolve('/'), resolve('/', dirname(path), name))
          .split(sep)
          .join('/');
        const other = zoneOf(target);
        local.push(target);
        if (other !== zone && !MAY_IMPORT[zone].includes(other)) {
          problems.push(
            `${path} imports ${target}: ${zone} may not import ${other ?? 'what is outside the layout'}`,
          );
        }
        continue;
      }
      if (isBuiltin(name)) continue;
      if (zone === 'scripts')
        problems.push(`${path} imports ${name}: scripts run before npm ci, with node: modules only`);
      const packageName = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
      if (zone !== 'scripts' && zone !== 'test' && !dependencies.has(packageName)) {
        problems.push(`${path} imports ${packageName}, which is not in package.json's dependencies`);
      }
    }
    graph.set(path, local);
  }
  return [...problems, ...cycles(graph)].sort();
}

/** One sentence a cycle; each cycle is found from its first file. */
function cycles(graph) {
  const found = new Set();
  const state = new Map();
  const trail = [];
  const visit = (path) => {
    if (state.get(path) === 'done') return;
    const start = trail.indexOf(path);
    if (start !== -1) {
      const loop = trail.slice(start);
      const first = loop.indexOf([...loop].sort()[0]);
      found.add(`import cycle: ${[...loop.slice(first), ...loop.slice(0, first), loop[first]].join(' → ')}`);
      return;
    }
    trail.push(path);
    for (const next of graph.get(path) ?? []) visit(next);
    trail.pop();
    state.set(path, 'done');
  };
  for (const path of graph.keys()) visit(path);
  return [...found];
}

/** All sources below `root`, as `importProblems` takes them. */
export function readSources(root) {
  const files = ['shared', 'worker', 'coordinator', 'test', 'scripts'].flatMap((directory) =>
    filesBelow(join(root, directory)).filter((file) => /\.(ts|mjs)$/.test(file)),
  );
  return new Map(
    files.map((file) => [relative(root, file).split(sep).join('/'), readFileSync(file, 'utf8')]),
  );
}

/** The problems of the tree at `root`. */
export function treeProblems(root) {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return importProblems(readSources(root), new Set(Object.keys(dependencies)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = treeProblems(dirname(dirname(fileURLToPath(import.meta.url))));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
