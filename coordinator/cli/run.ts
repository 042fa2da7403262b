/** `coordinator run`: a scenario file, or a URL with ab's letters; on a running coordinator or in an embedded lab. */
import { Command } from 'commander';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { BroadsideError, messageOf } from '../../shared/errors.ts';
import { ExitCode } from '../../shared/exit-codes.ts';
import type { RunComparison } from '../report/compare/schema.ts';
import type { Report } from '../report/schema.ts';
import type { PackedScript } from '../scripts/pack.ts';
import { type BaselineFlags, loadBaseline, withBaselineOptions, writeBoth } from './baseline-run.ts';
import { endOf } from './comparison-options.ts';
import {
  checkLabFlags,
  checkResume,
  type LabFlags,
  type OpenLab,
  openLab,
  withLabOptions,
} from './lab-options.ts';
import { checkDetail, checkOut, DETAIL, FORMATS, writeReport } from './report.ts';
import { loadScenario, type ScenarioFlags, withScenarioOptions } from './scenario-options.ts';
import { prepareScript, type ScriptOptions, withScriptOptions } from './script-options.ts';

interface RunFlags extends ScenarioFlags, LabFlags, BaselineFlags, ScriptOptions {
  format: string;
  out?: string;
  detail?: boolean;
  strict?: boolean;
  dryRun?: boolean;
  resume?: string;
  quiet?: boolean;
}

export function runCommand(): Command {
  const command = new Command('run').description(
    'run a scenario file or a k6 script, or load one URL with the letters of ab',
  );
  return withScriptOptions(withBaselineOptions(withLabOptions(withScenarioOptions(command))))
    .option('--format <format>', FORMATS, 'text')
    .option('--out <file>', 'write the report there instead of stdout')
    .option('--detail', DETAIL)
    .option(
      '--strict',
      'exit with 4 when the generator was the limit, or a quantile passed on too few requests',
    )
    .option('-q, --quiet', 'no progress on stderr')
    .option('--dry-run', 'print the trials in their order, and how long they take; start nothing')
    .option('--resume <run>', 'go on with an interrupted run of this scenario, at its next trial')
    .action(run);
}

async function run(what: string, flags: RunFlags): Promise<void> {
  // Everything that can be wrong with the input is found before anything is started.
  const { formatterFor } = await import('../report/formats.ts');
  formatterFor(flags.format);
  checkDetail(flags);
  await checkOut(flags.out);
  await checkLabFlags(flags);
  const read = await loadScenario(what, flags);
  if (flags.dryRun === true) return dryRun(read, flags);
  const packed = await prepareScript(read, what, flags, flags.coordinator === undefined);
  try {
    await carryOut(packed?.scenario ?? read, flags, packed);
  } finally {
    await packed?.remove();
  }
}

async function carryOut(
  scenario: Scenario,
  flags: RunFlags,
  packed: PackedScript | undefined,
): Promise<void> {
  const { optionsFor } = await import('../report/formats.ts');
  if (flags.resume !== undefined) await checkResume(scenario, flags.resume, flags);
  const baseline = await loadBaseline(scenario, flags);
  const { ProgressDisplay } = await import('./progress-display.ts');
  const { estimateText } = await import('../../shared/domain/estimate.ts');
  const interruption = new Interruption();
  const display = new ProgressDisplay();
  let lab: OpenLab | undefined;
  try {
    lab = await openLab(scenario, flags);
    const { client } = lab;
    if (packed !== undefined) await client.bringScript(packed.package, packed.file);
    interruption.wait();
    const { id, estimate } = await client.submit(scenario.source, flags.resume);
    if (flags.quiet !== true) display.say(estimateText(estimate));
    const cancel = (): void => {
      client.cancel(id).catch((error) => display.say(messageOf(error)));
    };
    interruption.onFirst(() => {
      display.say('interrupted: stopping the load (once more to leave at once)');
      cancel();
    });
    const { followRun } = await import('./follow-run.ts');
    await followRun(client, id, {
      onEvent: (event) => {
        if (flags.quiet !== true) display.show(event);
      },
      onBack: () => {
        if (interruption.happened) cancel();
      },
      say: (line) => {
        if (flags.quiet !== true) display.say(line);
      },
    });
    display.end();
    const status = await client.run(id);
    if (status.startedUs === undefined) {
      process.exitCode = interruption.happened ? ExitCode.interrupted : ExitCode.runFailed;
      return;
    }
    const options = optionsFor(flags.format, flags.detail);
    // Any quantile may be compared.
    if (baseline !== undefined) options.histograms = true;
    const report = await client.report(id, options);
    await finish(report, status.reason, flags, interruption.happened, baseline);
  } finally {
    display.end();
    await lab?.close();
  }
}

async function finish(
  report: Report,
  reason: string | undefined,
  flags: RunFlags,
  interrupted: boolean,
  baseline: Report | undefined,
): Promise<void> {
  const { exitCodeOfReport } = await import('../report/exit-code.ts');
  const measured = report.trials.length > 0;
  const comparison = measured ? await comparedWith(baseline, report, flags) : undefined;
  if (comparison !== undefined) await writeBoth(report, comparison, flags);
  else if (measured) await writeReport(report, flags);
  const { unfinishedText } = await import('./unfinished.ts');
  const warning = unfinishedText(report);
  if (warning !== undefined) process.stderr.write(`coordinator: ${warning}\n`);
  // Otherwise the progress display has said it.
  if (!measured && reason !== undefined && flags.quiet === true) {
    process.stderr.write(`coordinator: the run failed: ${reason}\n`);
  }
  process.exitCode = interrupted
    ? ExitCode.interrupted
    : exitCodeOfReport(report, { strict: flags.strict === true });
  // What the run itself ends with comes first.
  if (process.exitCode === ExitCode.good && comparison !== undefined) {
    process.exitCode = await endOf(comparison, flags);
  }
}

async function comparedWith(
  baseline: Report | undefined,
  report: Report,
  { metrics }: BaselineFlags,
): Promise<RunComparison | undefined> {
  if (baseline === undefined) return undefined;
  const { compareRuns } = await import('../report/compare/model.ts');
  return compareRuns(baseline, report, metrics);
}

/** With `--resume` what is left of that run, which its journal on this machine tells. */
async function dryRun(scenario: Scenario, flags: RunFlags): Promise<void> {
  const { resume, coordinator } = flags;
  if (resume !== undefined && coordinator !== undefined) {
    throw new BroadsideError(
      'USAGE',
      '--dry-run: what is left of a run is read from its journal, not asked for',
      {
        hint: "on the coordinator's machine, leave out --coordinator and give its --data DIR",
      },
    );
  }
  const resumed = resume === undefined ? undefined : await checkResume(scenario, resume, flags);
  const { planText } = await import('./dry-run.ts');
  process.stdout.write(planText(scenario, resumed));
}

/**
 * The first Ctrl-C (or SIGTERM) stops the load and still reports; the second leaves at once. So does the first while
 * nothing has been submitted.
 */
class Interruption {
  happened = false;
  private waiting = false;
  private first: (() => void) | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (this.happened || !this.waiting) process.exit(ExitCode.interrupted);
        this.happened = true;
        this.first?.();
      });
    }
  }

  /** From here on the first signal waits for `onFirst`: a run that is being submitted has to be cancelled. */
  wait(): void {
    this.waiting = true;
  }

  onFirst(first: () => void): void {
    this.first = first;
    if (this.happened) first();
  }
}
