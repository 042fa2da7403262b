/** What k6 says, as people may read it. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { redactText } from '../../../shared/domain/redact.ts';
import type { K6Call } from './k6-command.ts';

/** Script files by their place in the package, and not by where it lies on this machine; and nothing that is secret. */
export function forPeople({ folder, plan: { env } }: K6Call): (text: string) => string {
  const places = [`${pathToFileURL(folder).href}/`, `file://${folder}${path.sep}`, `${folder}${path.sep}`];
  return (text) =>
    places.reduce((shortened, place) => shortened.replaceAll(place, ''), redactText(text, env));
}
