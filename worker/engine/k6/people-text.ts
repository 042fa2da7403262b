/** What k6 says, as people may read it. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { K6Plan } from '../../../shared/domain/k6-plan.ts';
import { redactText } from '../../../shared/domain/redact.ts';
import type { K6Call } from './k6-command.ts';

/** Script files by their place in the package, and not by where it lies on a machine; and nothing that is secret. */
export function forPeople({
  folder,
  plan: { env },
}: Pick<K6Call, 'folder'> & { plan: Pick<K6Plan, 'env'> }): (text: string) => string {
  const places = [`${pathToFileURL(folder).href}/`, `file://${folder}${path.sep}`, `${folder}${path.sep}`];
  return (text) =>
    withoutOrigin(
      places.reduce((shortened, place) => shortened.replaceAll(place, ''), redactText(text, env)),
    );
}

/** An archive names its files by where they were when it was made: what the folders of a text have in common is left out. */
function withoutOrigin(text: string): string {
  const folders = text.match(/file:\/\/\/(?:[^\s/:()]+\/)*/g) ?? [];
  const [first] = folders;
  if (first === undefined) return text;
  let common = first;
  while (!folders.every((folder) => folder.startsWith(common))) common = common.replace(/[^/]+\/$/, '');
  return text.replaceAll(common, '');
}
