/**
 * `junit`: the XML that continuous integration shows as tests, in the form of the Ant task that it began as, which
 * is the strictest: the run, its trials and its thresholds are three suites.
 */
import { createRequire } from 'node:module';
import { checkText } from './end-of-test.ts';
import type { Report, ReportThreshold, ReportTrial } from './schema.ts';
import { cellLabel, plain } from './text-line.ts';
import { valueText } from './threshold-facts.ts';
import { type Fact, rateFacts } from './trial-facts.ts';

/** Its hundred files are read only where this format is asked for: every report reads this file. */
const requireHere = createRequire(import.meta.url);

interface Case {
  group: string;
  name: string;
  seconds: number;
  /** `error`: it could not be measured; `failure`: it was, and is not as it should be. */
  outcome?: { kind: 'error' | 'failure'; type: string; message: string; details?: string };
}

interface Suite {
  name: string;
  cases: Case[];
  output?: string;
}

export function formatJunit(report: Report): string {
  const { run, trials, thresholds } = report;
  const suites: Suite[] = [
    { name: 'run', cases: [runCase(report)] },
    { name: 'trials', cases: trials.map(trialCase), output: trials.map(outputOf).join('\n\n') },
    { name: 'thresholds', cases: thresholds.map(thresholdCase), output: notKnown(thresholds) },
  ];
  const { create } = requireHere('xmlbuilder2') as typeof import('xmlbuilder2');
  const root = create({ version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '\ufffd' }).ele(
    'testsuites',
  );
  for (const [id, { name, cases, output = '' }] of suites.entries()) {
    const count = (kind: 'error' | 'failure') => cases.filter(({ outcome }) => outcome?.kind === kind).length;
    const suite = root.ele('testsuite', {
      id,
      name,
      package: packageOf(run.name),
      // The schema wants it without a zone; it is UTC.
      timestamp: run.startedAt.slice(0, 19),
      hostname: 'localhost',
      tests: cases.length,
      failures: count('failure'),
      errors: count('error'),
      time: decimal(cases.reduce((sum, { seconds }) => sum + seconds, 0)),
    });
    const properties = suite.ele('properties');
    for (const [key, value] of Object.entries({ run: run.id, broadside: run.broadside })) {
      properties.ele('property', { name: key, value });
    }
    for (const { group, name, seconds, outcome } of cases) {
      const one = suite.ele('testcase', {
        classname: `${packageOf(run.name)}.${group}`,
        name,
        time: decimal(seconds),
      });
      if (outcome === undefined) continue;
      const { kind, type, message, details = '' } = outcome;
      one.ele(kind, { type, message: plain(message) }).txt(details);
    }
    suite.ele('system-out').txt(output);
    suite.ele('system-err');
  }
  return `${root.end({ prettyPrint: true })}\n`;
}

function runCase({ run, trials }: Report): Case {
  const one: Case = { group: 'run', name: 'run', seconds: run.durationUs / 1e6 };
  const missing = run.plannedTrials - trials.length;
  if (run.state === 'completed' && missing === 0) return one;
  const message = run.reason ?? `${missing} of ${run.plannedTrials} trials were not begun`;
  return { ...one, outcome: { kind: 'error', type: run.state, message } };
}

function trialCase(trial: ReportTrial): Case {
  const { cell, round, summary, dnf, state, reason, ledger } = trial;
  const one: Case = { group: nameOf(cell), name: `round ${round}`, seconds: summary.durationUs / 1e6 };
  if (dnf !== undefined) {
    const details = dnf.firstErrors.map(({ class: name, message, worker, atUs }) => {
      const where = worker === undefined ? '' : ` on ${plain(worker)}`;
      return `${name} at ${decimal(atUs / 1e6)} s${where}: ${plain(message)}`;
    });
    const outcome = { kind: 'error', type: 'dnf', message: dnf.reason, details: details.join('\n') } as const;
    return { ...one, outcome };
  }
  if (state === 'aborted') {
    return {
      ...one,
      outcome: { kind: 'error', type: 'aborted', message: reason ?? 'no reason was recorded' },
    };
  }
  if (ledger.balanced) return one;
  return { ...one, outcome: { kind: 'error', type: 'ledger', message: ledger.problems.join('; ') } };
}

function thresholdCase(threshold: ReportThreshold): Case {
  const { expression, cell = {}, round, request, passed } = threshold;
  const of = request === undefined ? '' : ` (${request})`;
  const name = plain(`${expression}${of}${round === undefined ? '' : `, round ${round}`}`);
  const one: Case = { group: nameOf(cell), name, seconds: 0 };
  if (passed) return one;
  const message = `${expression}: ${valueText(threshold)}`;
  return { ...one, outcome: { kind: 'failure', type: 'threshold', message } };
}

/** The form has no place for what is neither kept nor broken. */
function notKnown(thresholds: readonly ReportThreshold[]): string {
  return thresholds
    .filter(({ passed, tooFew }) => passed && tooFew !== undefined)
    .map((one) => plain(`${nameOf(one.cell ?? {})}, ${one.expression}: ${valueText(one)}`))
    .join('\n');
}

/** Both rates of every trial, for who opens the suite. */
function outputOf(trial: ReportTrial): string {
  const facts = rateFacts(trial).map(([label, text]: Fact) => `${label}: ${text.replaceAll('\n', '; ')}`);
  // A check that fails fails no run of k6: what must hold is a threshold, and those are cases.
  const checks = trial.summary.script?.checks.flatMap(checkText) ?? [];
  return [`${cellLabel(trial.cell)}, round ${trial.round}`, ...facts, ...checks].join('\n');
}

/** Readers split a class name at its dots: none in what users named. */
function nameOf(cell: ReportTrial['cell']): string {
  return cellLabel(cell).replaceAll('.', '·');
}

function packageOf(name: string): string {
  return plain(name).replaceAll('.', '·').trim() || 'run';
}

/** Never in exponents. */
function decimal(seconds: number): string {
  return seconds.toFixed(6);
}
