import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { planTrials } from '../shared/domain/plan-trials.ts';
import { parseScenario } from '../shared/domain/scenario-source.ts';
import { ExitCode } from '../shared/exit-codes.ts';
import { CLASSIC_RUNS } from './lab/classic-runs.ts';
import { ROOT } from './scripts/load-script.ts';
import { helpOf, unknownFlags } from './support/cli-help.ts';

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'ARCHITECTURE.md',
  'scenarios/README.md',
  'scenarios/classic/README.md',
  'docs/lab.md',
  'docs/verdict.md',
  'docs/results/README.md',
];
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The command lines of ours in a document's code, indented or fenced. */
function commandsIn(text: string): string[] {
  const fenced = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!);
  const indented = [...text.matchAll(/^ {4}(?=npx )(.+)$/gm)].map((match) => match[1]!);
  return [...fenced, ...indented]
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*/, '').replace(/^.*(npx|exec coordinator) /, ''))
    .filter((line) => /^(coordinator|worker) /.test(line));
}

for (const document of DOCUMENTS) {
  describe(document, () => {
    const text = read(document);

    test('every link leads to a file', () => {
      for (const [, link] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
        assert.ok(existsSync(join(ROOT, dirname(document), link!)), link);
      }
    });

    for (const line of commandsIn(text)) {
      test(`exists: ${line}`, () => assert.deepEqual(unknownFlags(line), []));
    }
  });
}

describe('docs/results has a page for each classic run', () => {
  const index = read('docs/results/README.md');
  for (const { name } of CLASSIC_RUNS) {
    test(name, () => {
      assert.ok(index.includes(`(${name}.md)`), 'listed');
      const page = read(`docs/results/${name}.md`);
      for (const part of ['**Machine**', '**Date**', 'npm run lab -- classics', '## What was the limit']) {
        assert.ok(page.includes(part), part);
      }
      assert.match(page, /## Beside the original\n\n\w[\s\S]{300,}$/, 'compared with what was published');
    });
  }
});

describe('README.md says what the commands do', () => {
  const readme = read('README.md');

  test('there are commands to check', () => assert.ok(commandsIn(readme).length >= 6));

  test('every subcommand is in it', () => {
    for (const bin of ['coordinator', 'worker']) {
      for (const [, name] of helpOf(bin).matchAll(/^ {2}([a-z]+) \[options\]/gm)) {
        assert.match(readme, new RegExp(`\`(${bin} )?${name}\\b`), `${bin} ${name}`);
      }
    }
  });

  test('every one of ab’s letters that exists is in its table, and no other', () => {
    const table = readme.slice(readme.indexOf("### ab's letters"), readme.indexOf('## A scenario file'));
    const letters = [...table.matchAll(/`-([A-Za-z])\b/g)].map((match) => match[1]!);
    const existing = [...helpOf('coordinator', 'run').matchAll(/^ {2}-([A-Za-z]) /gm)].map(
      (match) => match[1]!,
    );
    assert.deepEqual([...new Set(letters)].sort(), existing.sort());
  });

  test('its scenario is valid', () => {
    const [, scenario] = /^```yaml\n(.*?)^```$/ms.exec(readme)!;
    assert.equal(planTrials(parseScenario(scenario!, 'README.md')).length, 18);
  });

  test('every exit code is in it', () => {
    const table = readme.slice(readme.indexOf('### Exit codes'));
    const codes = [...table.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
    assert.deepEqual(codes, Object.values(ExitCode));
  });
});
