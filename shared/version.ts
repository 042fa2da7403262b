import { readFileSync } from 'node:fs';

/** The package's version. This file runs from dist/shared, two levels below package.json. */
export const BROADSIDE_VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;
