/** Script packages as files: named by their hash, and never larger than this. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BroadsideError } from './errors.ts';

/** Data that a script opens is held by each of its virtual users; nobody needs more than this. */
const MOST_PACKAGE_MIB = 256;
export const MOST_PACKAGE_BYTES = MOST_PACKAGE_MIB * 1024 ** 2;

export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** SHA-256 of a file, lower-case hexadecimal. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/**
 * Writes a stream to a new file, and looks whether it is what was asked for. What was written of another one is left to
 * the caller.
 * @throws BroadsideError USAGE for more bytes than a package may have, or another content
 */
export async function writeChecked(
  from: NodeJS.ReadableStream,
  file: string,
  sha256: string,
): Promise<number> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(part: Buffer, _encoding, done) {
      bytes += part.length;
      hash.update(part);
      done(bytes > MOST_PACKAGE_BYTES ? tooLarge() : null, part);
    },
  });
  await pipeline(from, counted, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  const found = hash.digest('hex');
  if (found === sha256) return bytes;
  throw new BroadsideError(
    'USAGE',
    `the script package is not what its name says: ${found} came as ${sha256}`,
  );
}

export function tooLarge(): BroadsideError {
  return new BroadsideError('USAGE', `a script package may have ${MOST_PACKAGE_MIB} MiB at most`);
}
