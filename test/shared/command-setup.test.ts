/** What every command of both programs has in common, as people see it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { helpOf } from '../support/cli-help.ts';

for (const bin of ['coordinator', 'worker']) {
  describe(`${bin} --help`, () => {
    const commands = [...helpOf(bin).matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name]) => name!);

    for (const command of commands.filter((name) => name !== 'help')) {
      test(`${command}: a flag has one default or none, and it says something`, () => {
        // A flag and all the lines that say what it is.
        const flags = helpOf(bin, command).match(/^ {2}-.*(\n {6,}.*)*/gm) ?? [];
        assert.ok(flags.length > 0);
        for (const flag of flags) {
          const defaults: string[] = flag.replace(/\s+/g, ' ').match(/\(default: [^)]*\)/g) ?? [];
          assert.ok(defaults.length <= 1 && !defaults.includes('(default: [])'), flag);
        }
      });
    }
  });
}
