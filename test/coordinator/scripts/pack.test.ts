import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, beforeEach, describe, test } from 'node:test';
import { list } from 'tar';
import { type PackedScript, packScript } from '../../../coordinator/scripts/pack.ts';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import { readScenario } from '../../../shared/domain/scenario-source.ts';
import { findK6, type K6Binary } from '../../../shared/k6-binary.ts';
import { suiteFolder, writeFiles } from '../../support/folders.ts';
import { K6_BINARY, WITHOUT_K6 } from '../../support/k6.ts';

const DEFAULT = 'export default function () {}\n';

describe('packing a script', () => {
  const top = suiteFolder();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(top, 'scenario-'));
  });
  const write = (name: string, text: string): void => writeFiles(folder, { [name]: text });
  const pack = async (
    yaml = 'k6: { script: main.js }',
    k6?: K6Binary,
    root?: string,
  ): Promise<PackedScript> => {
    write('demo.yaml', `engine: k6\n${yaml}\n`);
    const scenario = readScenario(path.join(folder, 'demo.yaml'));
    return (await packScript(scenario, { folder, root }, k6))!;
  };
  const namesOf = (file: string): string[] => {
    const names: string[] = [];
    list({ file, sync: true, onReadEntry: (entry) => names.push(entry.path) });
    return names;
  };

  test('a bundle has the script, what it imports and opens, and what that does', async () => {
    write(
      'main.js',
      `import './lib/a.js'; import http from 'k6/http'; import 'https://h/x.js'; import 'k6/x/sql';\n${DEFAULT}`,
    );
    write('lib/a.js', `import { b } from '../b.ts'; open('./d.txt')`);
    write('b.ts', 'export const b: number = 1;');
    write('lib/d.txt', 'data');
    write('other.txt', 'not named');
    const { package: made, file, scenario, remove } = await pack();
    assert.deepEqual(namesOf(file), ['b.ts', 'lib/a.js', 'lib/d.txt', 'main.js']);
    assert.deepEqual([made.kind, made.entry, made.bytes], ['bundle', 'main.js', readFileSync(file).length]);
    const { k6: plan } = planTrials(scenario)[0]!;
    assert.deepEqual([plan?.package, plan?.requires.extensions], [made, ['k6/x/sql']]);
    await remove();
  });

  test('the same files make the same package, whenever they were written', async () => {
    write('main.js', DEFAULT);
    const one = await pack();
    utimesSync(path.join(folder, 'main.js'), 1, 1);
    const two = await pack();
    assert.equal(one.package.sha256, two.package.sha256);
    await one.remove();
    await two.remove();
  });

  test('files besides, and folders with all that is in them', async () => {
    write('main.js', `open('data/' + __ENV.NAME)\n${DEFAULT}`);
    write('data/a/1.json', '1');
    write('data/2.json', '2');
    write('@odd', '');
    const { file, warnings, remove } = await pack('k6: { script: main.js, files: [data, "@odd"] }');
    assert.deepEqual(namesOf(file), ['./@odd', 'data/2.json', 'data/a/1.json', 'main.js']);
    assert.match(warnings[0]!, /main\.js:1: which file open\(\) takes is known when the script runs/);
    await remove();
  });

  test('a folder above, where it is allowed', async () => {
    write('main.js', `import '../shared.js';\n${DEFAULT}`);
    writeFileSync(path.join(top, 'shared.js'), 'export {}');
    await assert.rejects(
      pack(),
      /main\.js:1:8: "\.\.\/shared\.js" is outside of .*; what a script needs .*--script-root DIR/,
    );
    const { package: made, file, remove } = await pack(undefined, undefined, top);
    assert.deepEqual(namesOf(file), [`${path.basename(folder)}/main.js`, 'shared.js']);
    assert.equal(made.entry, `${path.basename(folder)}/main.js`);
    await remove();
  });

  const REFUSED: [sentence: string, source: string, message: RegExp][] = [
    [
      'an import that is not there',
      `\nimport './nope.js';`,
      /main\.js:2:8: "\.\/nope\.js": there is no such file$/,
    ],
    ['a file that is not there', `open('nope.csv')`, /main\.js:1:6: "nope\.csv": there is no such file$/],
    [
      'several',
      `import './a.js';import './b.js';`,
      /"\.\/a\.js": there is no such file \(and 1 more problem\)$/,
    ],
    [
      'a package of npm',
      `import _ from 'lodash';`,
      /main\.js:1:15: "lodash" is neither a module of k6 nor a path/,
    ],
    ['what is no JavaScript', 'let a = ;', /main\.js:1:9: Unexpected token/],
    ['an absolute path', `open('/etc/hostname')`, /"\/etc\/hostname" is outside of/],
  ];
  for (const [sentence, source, message] of REFUSED) {
    test(`refused: ${sentence}`, async () => {
      write('main.js', source);
      await assert.rejects(pack(), { code: 'SCENARIO_INVALID', message });
    });
  }

  test('refused: a link that leads out', async () => {
    write('main.js', `open('link')`);
    symlinkSync('/etc/hostname', path.join(folder, 'link'));
    await assert.rejects(pack(), /"link" is outside of/);
  });

  describe('with k6', { skip: WITHOUT_K6 }, () => {
    let k6: K6Binary;
    before(async () => {
      k6 = (await findK6({ given: K6_BINARY!, warn: () => {} }))!;
    });

    test('an archive, the same one for the same files, without the variables', async () => {
      write(
        'main.js',
        `const a = open('./data/' + __ENV.NAME);\nexport const options = { vus: Number(__ENV.VUS) };\n${DEFAULT}`,
      );
      write('data/a.txt', 'data');
      const yaml = 'k6: { script: main.js, env: { NAME: a.txt, VUS: 7, SECRET: a-secret-value } }';
      const one = await pack(yaml, k6);
      const two = await pack(yaml, k6);
      assert.equal(one.package.kind, 'archive');
      assert.equal(one.package.sha256, two.package.sha256);
      assert.ok(namesOf(one.file).some((name) => name.endsWith('/data/a.txt')));
      const bytes = readFileSync(one.file, 'latin1');
      assert.doesNotMatch(bytes, /a-secret-value/);
      assert.match(bytes, /"vus": 7/);
      await one.remove();
      await two.remove();
    });

    test('what its init code throws is said, with its place', async () => {
      write('main.js', `\nthrow new Error('no luck');\n${DEFAULT}`);
      await assert.rejects(pack(undefined, k6), /Error: no luck\s+at file:.*main\.js:2/);
    });

    test('what it opens outside of the folder is refused, however it is named', async () => {
      write('main.js', `open(__ENV.NAME);\n${DEFAULT}`);
      const yaml = 'k6: { script: main.js, env: { NAME: /etc/hostname } }';
      await assert.rejects(pack(yaml, k6), /loads \/etc\/hostname, which is outside of/);
    });

    test('cells with variables of their own take a bundle, for an archive keeps its options', async () => {
      write('main.js', DEFAULT);
      const { package: made, remove } = await pack(
        'sweep: { n: [1, 2] }\nk6: { script: main.js, env: { N: "${n}" } }',
        k6,
      );
      assert.equal(made.kind, 'bundle');
      await remove();
    });

    test('an extension that this k6 lacks takes a bundle: workers may have it', async () => {
      write('main.js', `import x from 'k6/x/nobody-has-it';\n${DEFAULT}`);
      const { package: made, remove } = await pack(undefined, k6);
      assert.equal(made.kind, 'bundle');
      await remove();
    });
  });
});
