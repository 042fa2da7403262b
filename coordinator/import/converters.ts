/** The converters that `coordinator import` starts, and what each leaves out by its own documentation. */
import path from 'node:path';
import type { Converter } from './converter.ts';

const script = (into: string): string => path.join(into, 'script.js');

/** Texts whose presence means that something is left out, with its name. */
function found(text: string, signs: readonly (readonly [RegExp, string])[]): string[] {
  return signs.flatMap(([sign, name]) => (sign.test(text) ? [name] : []));
}

export const CONVERTERS = {
  har: {
    programs: ['har-to-k6'],
    install: 'npm install har-to-k6',
    args: (file, into) => [file, '-o', script(into)],
    dropped: (text) => found(text, [[/"url":\s*"wss?:/, 'websockets']]),
  },
  postman: {
    programs: ['postman-to-k6'],
    install: 'npm install @apideck/postman-to-k6',
    args: (file, into) => [file, '-o', script(into)],
    dropped: (text) =>
      found(text, [
        [/pm\.sendRequest/, 'pm.sendRequest'],
        [/setNextRequest/, 'setNextRequest'],
        [/pm\.request\.auth/, 'pm.request.auth'],
        [/pm\.response\.reason/, 'pm.response.reason'],
        [/xmlToJson/, 'xmlToJson'],
        [/\.(hostOnly|storeId)\b/, 'the cookie properties hostOnly, session and storeId'],
        [/pm\.vault/, 'pm.vault'],
        [/pm\.visualizer/, 'pm.visualizer'],
        [/"type":\s*"hawk"/, 'Hawk authentication'],
      ]),
  },
  openapi: {
    programs: ['openapi-generator-cli', 'openapi-generator'],
    install: 'npm install @openapitools/openapi-generator-cli (it needs Java)',
    args: (file, into) => ['generate', '-g', 'k6', '-i', file, '-o', into],
    dropped: (text) =>
      found(text, [
        [/["']?securitySchemes["']?\s*:/, 'security schemes, beside API keys'],
        [/["']?callbacks["']?\s*:/, 'callbacks'],
        [/["']?webhooks["']?\s*:/, 'webhooks'],
        [/["']?links["']?\s*:/, 'links'],
      ]),
  },
} satisfies Record<string, Converter>;
