/** What the scripts say and how they start other programs. Plain Node: these run before `npm ci`. */
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A failure that is for the person at the terminal: printed without a stack, exit 1. */
export class SetupError extends Error {
  /** @param {string} message @param {string} [hint] what to do about it */
  constructor(message, hint) {
    super(message);
    this.name = 'SetupError';
    this.hint = hint;
  }
}

/** Says what is about to be done. On stderr, since stdout may be somebody's report. */
export function say(text) {
  process.stderr.write(`» ${text}\n`);
}

/** Runs a script's main function, and turns what it throws into one message and exit 1. */
export async function main(run) {
  try {
    process.exitCode = (await run(process.argv.slice(2))) ?? 0;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\nerror: ${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`);
    process.exitCode = 1;
  }
}

/** Where servers are installed that an ordinary user's PATH leaves out on Debian and macOS. */
const SYSTEM_DIRECTORIES = [
  '/usr/local/sbin',
  '/usr/sbin',
  '/opt/homebrew/bin',
  '/usr/local/bin',
  '/usr/share/tomcat10/bin',
];

/** PATH with the system directories at its end. */
export function searchPath(env = process.env) {
  const given = (env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return [...given, ...SYSTEM_DIRECTORIES.filter((directory) => !given.includes(directory))].join(delimiter);
}

/** The program's full path, or undefined when no directory of `path` holds it. */
export function findProgram(name, path = searchPath()) {
  for (const directory of path.split(delimiter)) {
    const candidate = join(directory, name);
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {
      // Not here; the next directory may have it.
    }
  }
  return undefined;
}

/**
 * Runs a program to its end with its output on this terminal.
 * @returns {Promise<number>} its exit code; 128 + signal number is not told apart from 1
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    // Its stdout becomes our stderr: only a script's result belongs on stdout.
    const child = spawn(command, args, { stdio: ['inherit', 2, 2], ...options });
    child.once('error', (error) =>
      reject(new SetupError(`${command} could not be started: ${error.message}`)),
    );
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
