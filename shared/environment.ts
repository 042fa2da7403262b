/** What the environment says where a flag does not. */
import { BroadsideError } from './errors.ts';

/** A variable that is set to nothing says nothing: `BROADSIDE_TOKEN=` is no token, and not the empty one. */
export function fromEnvironment(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}

export const TOKEN_FORM = 'letters, digits and signs of ASCII, without spaces';

/** Whether it can be shown in a header as it is; an empty one would let everybody in. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * The token of a flag, else `$BROADSIDE_TOKEN`.
 * @throws BroadsideError USAGE for one that no request could show
 */
export function tokenFrom(flag: string | undefined): string | undefined {
  const token = flag ?? fromEnvironment('BROADSIDE_TOKEN');
  if (token === undefined || isToken(token)) return token;
  // Not with its value: secrets never reach a terminal's history by way of an error.
  throw new BroadsideError(
    'USAGE',
    `${flag === undefined ? '$BROADSIDE_TOKEN' : '--token'}: not a token: ${token === '' ? 'it is empty' : `expected ${TOKEN_FORM}`}`,
    { hint: 'make one with: openssl rand -hex 16' },
  );
}
