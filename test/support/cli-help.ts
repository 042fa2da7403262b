/** What the built commands say of themselves, so that files which call them can be checked. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const known = new Map<string, string>();

/** The text of `<bin> <subcommand> --help`; throws when there is no such subcommand. */
export function helpOf(bin: string, subcommand?: string): string {
  const key = `${bin} ${subcommand ?? ''}`;
  const main = fileURLToPath(new URL(`../../${bin}/main.js`, import.meta.url));
  if (!known.has(key)) {
    const words = [main, ...(subcommand === undefined ? [] : [subcommand]), '--help'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${key} --help: ${stderr}`);
    known.set(key, stdout);
  }
  return known.get(key)!;
}

/** What is wrong with a command line of ours, by what its help says; empty when every flag of it exists. */
export function unknownFlags(line: string): string[] {
  const [bin, subcommand, ...words] = line.trim().split(/\s+/);
  if (!new RegExp(`^  ${subcommand}\\b`, 'm').test(helpOf(bin!)))
    return [`${bin} ${subcommand}: no such command`];
  const help = helpOf(bin!, subcommand);
  const flags = words.filter((word) => /^--?[A-Za-z]/.test(word)).map((word) => word.replace(/=.*/, ''));
  // A flag stands at the start of its line in the help, or after its short form.
  return flags.filter((flag) => !new RegExp(`^ +(-\\w, )?${flag}[ ,\n]`, 'm').test(help));
}
