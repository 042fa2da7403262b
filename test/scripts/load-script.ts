/** The scripts are plain JavaScript, since they run before anything is built: they are loaded, not compiled in. */
import { fileURLToPath } from 'node:url';

/** The repository's top directory. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The module `scripts/<path>`; `T` says what the test uses of it. */
export async function loadScript<T>(path: string): Promise<T> {
  return (await import(new URL(`../../../scripts/${path}`, import.meta.url).href)) as T;
}
