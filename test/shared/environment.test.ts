import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { fromEnvironment, tokenFrom } from '../../shared/environment.ts';

const NAME = 'BROADSIDE_TOKEN';
const before = process.env[NAME];

afterEach(() => {
  if (before === undefined) delete process.env[NAME];
  else process.env[NAME] = before;
});

function set(value: string | undefined): void {
  if (value === undefined) delete process.env[NAME];
  else process.env[NAME] = value;
}

const TOKENS: [sentence: string, flag: string | undefined, variable: string | undefined, token: unknown][] = [
  ['neither: none', undefined, undefined, undefined],
  ['a variable that is set to nothing: none', undefined, '', undefined],
  ['the variable', undefined, 'sesame', 'sesame'],
  ['the flag goes before it', 'open', 'sesame', 'open'],
  ['signs are fine', 'a-_./+=~', undefined, 'a-_./+=~'],
];
const NO_TOKENS: [sentence: string, flag: string | undefined, variable: string | undefined][] = [
  ['an empty flag, also where the variable has one', '', 'sesame'],
  ['a space in it', 'two words', undefined],
  ['a line end, as a file has it', undefined, 'sesame\n'],
  ['beyond ASCII', 'ſesam', undefined],
];

describe('tokenFrom', () => {
  for (const [sentence, flag, variable, token] of TOKENS) {
    test(sentence, () => {
      set(variable);
      assert.equal(tokenFrom(flag), token);
    });
  }
  for (const [sentence, flag, variable] of NO_TOKENS) {
    test(`${sentence} is refused, without saying it`, () => {
      set(variable);
      assert.throws(() => tokenFrom(flag), {
        code: 'USAGE',
        message: /^(--token|\$BROADSIDE_TOKEN): not a token: (?!.*(two words|sesame|ſesam))/,
      });
    });
  }
});

test('a variable that is set to nothing says nothing', () => {
  set('');
  assert.equal(fromEnvironment(NAME), undefined);
});
