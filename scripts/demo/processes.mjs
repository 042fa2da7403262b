/** The processes of the demo: each announced as a person would type it, and none left behind. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { SetupError, say } from '../setup/console.mjs';

const READY_WITHIN_MS = 20_000;
const STOP_WITHIN_MS = 8_000;
/** npm passes Ctrl-C on to what the terminal has already told, so one press may come twice. */
const SAME_PRESS_MS = 500;
/** Lines of a service's log that are kept, to explain a failure. */
const LOG_LINES = 30;

export class Processes {
  #options;
  #services = [];
  #foreground;
  #interruptedAt;
  #interrupt;
  #interrupted;

  /** @param {{cwd: string, env: NodeJS.ProcessEnv}} options of all processes */
  constructor(options) {
    this.#options = options;
    this.#interrupted = new Promise((_, reject) => {
      this.#interrupt = () => reject(new SetupError('interrupted'));
    });
    this.#interrupted.catch(() => undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => this.#onSignal());
    // The last resort, for an end that `stopAll` did not see.
    process.on('exit', () => this.#killAll());
  }

  /**
   * Starts a service, which runs until `stopAll`.
   * @param {{shown: string, file: string, args: string[]}} command `shown` is what a person would type
   */
  start({ shown, file, args }) {
    say(`$ ${shown} &`);
    const child = this.#spawn(file, args, ['ignore', 'pipe', 'pipe']);
    const service = { shown, child, log: [], ended: undefined };
    service.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
    });
    createInterface({ input: child.stderr }).on('line', (line) => {
      service.log.push(line);
      if (service.log.length > LOG_LINES) service.log.shift();
    });
    this.#services.push(service);
    return service;
  }

  /** Starts a service and waits for the line `… on URL`, by which it says that it is ready; the URL. */
  async startServer(command) {
    const service = this.start(command);
    let timer;
    const tooLate = new Promise((_, reject) => {
      const late = () =>
        reject(new SetupError(`not ready after ${READY_WITHIN_MS / 1000} s: ${command.shown}`));
      timer = setTimeout(late, READY_WITHIN_MS);
    });
    const ended = service.ended.then((how) => {
      throw new SetupError(`ended before it was ready (${how}): ${command.shown}`);
    });
    try {
      const url = await Promise.race([announcedUrl(service.child.stdout), ended, tooLate, this.#interrupted]);
      say(`  ${url}`);
      return url;
    } finally {
      clearTimeout(timer);
      ended.catch(() => undefined);
    }
  }

  /**
   * Runs a command to its end on this terminal. The first Ctrl-C is passed on to it, since it may still report; a
   * second one kills everything.
   * @returns {Promise<number>} its exit code
   */
  async run({ shown, file, args }) {
    say(`$ ${shown}`);
    const child = this.#spawn(file, args, 'inherit');
    this.#foreground = child;
    const code = await new Promise((resolve) => child.once('exit', (exitCode) => resolve(exitCode ?? 1)));
    this.#foreground = undefined;
    return code;
  }

  /** Stops the services, the last one first: workers say goodbye before their coordinator goes. */
  async stopAll() {
    for (const service of this.#services.toReversed()) {
      service.child.kill('SIGTERM');
      const timer = setTimeout(() => service.child.kill('SIGKILL'), STOP_WITHIN_MS);
      await service.ended;
      clearTimeout(timer);
    }
  }

  /** Prints the end of every service's log. */
  printLogs() {
    for (const { shown, child, log } of this.#services) {
      const state = child.exitCode === null && child.signalCode === null ? 'running' : 'ended';
      say(`${shown} (${state}); the last lines of its log:`);
      for (const line of log) process.stderr.write(`    ${line}\n`);
    }
  }

  #spawn(file, args, stdio) {
    // A session of its own: Ctrl-C at the terminal then reaches this script only, which ends things in order.
    return spawn(process.execPath, [file, ...args], { stdio, detached: true, ...this.#options });
  }

  #onSignal() {
    const now = performance.now();
    if (this.#interruptedAt === undefined) {
      this.#interruptedAt = now;
      if (this.#foreground === undefined) this.#interrupt();
      else this.#foreground.kill('SIGINT');
    } else if (now - this.#interruptedAt > SAME_PRESS_MS) {
      process.exit(130);
    }
  }

  #killAll() {
    const children = [this.#foreground, ...this.#services.map((service) => service.child)];
    for (const child of children) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      try {
        // The whole session: a coordinator that is killed cannot see to its Redis.
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has just ended by itself.
      }
    }
  }
}

/** The URL at the end of the first line that has one there; waits for ever when there is none. */
function announcedUrl(stdout) {
  return new Promise((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const url = / on (https?:\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}
