import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { convert } from '../../../coordinator/import/converter.ts';
import { CONVERTERS } from '../../../coordinator/import/converters.ts';

describe('converters', () => {
  let folder: string;
  const paths = process.env.PATH;
  const program = (lines: string): void => {
    const file = path.join(folder, 'postman-to-k6');
    writeFileSync(file, `#!/bin/sh\n${lines}\n`);
    chmodSync(file, 0o755);
  };
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'broadside-import-'));
    process.env.PATH = `${folder}${path.delimiter}${paths}`;
  });
  after(() => {
    process.env.PATH = paths;
    rmSync(folder, { recursive: true });
  });

  test('one that is not installed is named, with how to come by it', async () => {
    const missing = { ...CONVERTERS.openapi, programs: ['nobody-has-this', 'nor-this'] };
    await assert.rejects(convert(missing, 'a.yaml', folder), {
      code: 'USAGE',
      message: /nobody-has-this or nor-this is not in the PATH, nor in \.\/node_modules\/\.bin/,
      hint: /npm install @openapitools\/openapi-generator-cli/,
    });
  });

  test('what it says, and where it is told to write', async () => {
    program('echo "converting $1"; echo "export default function () {}" > "$3"');
    assert.equal(await convert(CONVERTERS.postman, 'a.json', folder), 'converting a.json');
    assert.match(readFileSync(path.join(folder, 'script.js'), 'utf8'), /export default/);
  });

  test('when it fails, its words', async () => {
    program('echo "no such version" >&2; exit 4');
    await assert.rejects(
      convert(CONVERTERS.postman, 'a.json', folder),
      /a\.json: postman-to-k6 ended with 4: no such version/,
    );
  });

  const DROPPED: [kind: keyof typeof CONVERTERS, text: string, names: string[]][] = [
    [
      'postman',
      '"exec": ["pm.sendRequest(\'x\'); postman.setNextRequest(null)"]',
      ['pm.sendRequest', 'setNextRequest'],
    ],
    ['postman', '"auth": { "type": "hawk" }', ['Hawk authentication']],
    ['postman', '"exec": ["pm.test()"]', []],
    ['openapi', 'components:\n  securitySchemes:\n', ['security schemes, beside API keys']],
    ['openapi', '{"webhooks": {}}', ['webhooks']],
    ['har', '{"url": "wss://h/"}', ['websockets']],
  ];
  for (const [kind, text, names] of DROPPED)
    test(`${kind} leaves out: ${names.join(', ') || 'nothing'}`, () =>
      assert.deepEqual(CONVERTERS[kind].dropped(text), names));
});
