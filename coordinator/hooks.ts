/**
 * When the hooks of a run are run, with what in their environment, and what it means when one fails. A cell lasts as
 * long as trials of it follow one another: in an interleaved order that is one trial, or two
 * where one round ends and the next begins; in a sequential one all its rounds.
 */
import { cellEnvironment, type HookName, type HookSpec } from '../shared/domain/hooks.ts';
import type { Cell, TrialPlan } from '../shared/domain/run.ts';
import { BroadsideError } from '../shared/errors.ts';
import { hookFailure, runHookCommand } from './hook-command.ts';
import type { HookRecord } from './journal-records.ts';

/** Names of the coordinator's own secrets, which are not for the commands of a scenario. */
const SECRET = ['BROADSIDE_TOKEN', 'REDIS_URL'];
const MOST_REASON_CHARACTERS = 400;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters would reach a terminal.
const NOT_FOR_ONE_LINE = /[\s\u0000-\u001f\u007f-\u009f]+/g;

/**
 * Commands of a scenario run as the coordinator's user, so the operator has to have said so.
 * @throws BroadsideError HOOKS_NOT_ALLOWED
 */
export function checkHooksAllowed(hooks: HookSpec | undefined, allowed: boolean): void {
  if (hooks === undefined || allowed) return;
  throw new BroadsideError(
    'HOOKS_NOT_ALLOWED',
    'hooks: the scenario has commands to run on the coordinator’s machine, and this coordinator does not run any',
    { hint: 'if you trust whoever may submit scenarios to it, start it with --allow-hooks' },
  );
}

export interface RunHooksOptions {
  spec: HookSpec | undefined;
  runId: string;
  /** Those that will be carried out, in order. */
  trials: readonly TrialPlan[];
  record(record: HookRecord): Promise<void>;
  notice(message: string): void;
}

export class RunHooks {
  private readonly options: RunHooksOptions;
  private trial: TrialPlan | undefined;
  /** The cell that trials are of now: its trials in a row, and why they cannot count. */
  private turn: { trials: TrialPlan[]; failure?: string } | undefined;

  constructor(options: RunHooksOptions) {
    this.options = options;
  }

  /** Resolves with why the run cannot go on; undefined when all is well. So do the others for their part. */
  beforeRun(signal: AbortSignal): Promise<string | undefined> {
    return this.run('beforeRun', [], signal);
  }

  /** Before a trial, and before its cell when that is another one than before. */
  async beforeTrial(trial: TrialPlan, signal: AbortSignal): Promise<string | undefined> {
    this.trial = trial;
    if (this.turn?.trials.includes(trial) !== true) {
      const trials = this.turnOf(trial);
      this.turn = { trials };
      const failure = await this.run('beforeCell', trials, signal);
      if (failure !== undefined) this.turn.failure = failure;
    }
    return this.turn.failure ?? (await this.run('beforeTrial', [trial], signal));
  }

  /** After a trial, whatever became of it, and after its cell when the next is another one. */
  async afterTrial(trial: TrialPlan): Promise<string | undefined> {
    this.trial = undefined;
    const failure = await this.run('afterTrial', [trial]);
    if (this.turn?.trials.at(-1) !== trial) return failure;
    const ofCell = await this.endTurn();
    return failure ?? ofCell;
  }

  /** After everything, however the run ended. */
  async afterRun(): Promise<string | undefined> {
    if (this.trial !== undefined) await this.afterTrial(this.trial);
    await this.endTurn();
    return this.run('afterRun', []);
  }

  private async endTurn(): Promise<string | undefined> {
    const { turn } = this;
    if (turn === undefined) return undefined;
    this.turn = undefined;
    return this.run('afterCell', turn.trials);
  }

  /** The trial and those right after it that are of the same cell. */
  private turnOf(first: TrialPlan): TrialPlan[] {
    const { trials } = this.options;
    const from = trials.indexOf(first);
    const others = trials.slice(from).findIndex(({ cell }) => !isSame(cell, first.cell));
    return trials.slice(from, others < 0 ? trials.length : from + others);
  }

  private async run(
    hook: HookName,
    trials: readonly TrialPlan[],
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const { spec, runId, record, notice } = this.options;
    const commands = spec?.[hook] ?? [];
    for (const command of commands) {
      const result = await runHookCommand(command, {
        env: environment(runId, hook, trials[0]),
        timeoutMs: spec!.timeoutUs / 1_000,
        ...(signal !== undefined && { signal }),
      });
      const why = hookFailure(result);
      const failure = why === undefined ? undefined : describeFailure(hook, why, result.output);
      await record({
        type: 'hook',
        hook,
        trials: trials.map(({ index }) => index),
        ...result,
        ...(failure !== undefined && { failure }),
      });
      if (failure === undefined) continue;
      // What stops a trial is said with its end.
      if (hook.startsWith('after') || trials.length === 0) notice(failure);
      return failure;
    }
    return undefined;
  }
}

/** With the end of what the command said. */
function describeFailure(hook: HookName, failure: string, output: string): string {
  const said = output.replace(NOT_FOR_ONE_LINE, ' ').trim();
  const end = said.length > MOST_REASON_CHARACTERS ? `…${said.slice(-MOST_REASON_CHARACTERS)}` : said;
  return `the hook ${hook} failed: ${failure}${end === '' ? '' : `: ${end}`}`;
}

function environment(runId: string, hook: HookName, trial: TrialPlan | undefined): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !SECRET.includes(name) && !name.startsWith('BROADSIDE_AXIS_'),
  );
  return {
    ...Object.fromEntries(own),
    BROADSIDE_RUN: runId,
    BROADSIDE_HOOK: hook,
    ...(trial !== undefined && {
      BROADSIDE_TRIAL: String(trial.index),
      BROADSIDE_ROUND: String(trial.round),
      BROADSIDE_TARGET: trial.target.name,
      ...cellEnvironment(trial.cell),
    }),
  };
}

/** Cells of one run have their axes in one order. */
function isSame(a: Cell, b: Cell): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
