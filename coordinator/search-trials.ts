/**
 * The trials of a run that searches: each is decided by what those before it came to, cell after cell. What it decides by
 * is read from the records of the journal as the report reads them, so that the report shows the same numbers.
 */
import { cellPlanner, searchesOf } from '../shared/domain/plan-trials.ts';
import { redactForJournal } from '../shared/domain/redact.ts';
import type { TrialPlan } from '../shared/domain/run.ts';
import type { Scenario } from '../shared/domain/scenario.ts';
import { type CellSearch, nextStep, type SearchAnswer, type SearchResult } from '../shared/domain/search.ts';
import type { RunCollector } from './collector.ts';
import type { JournalRecord } from './journal-records.ts';
import type { ReportTrial } from './report/schema.ts';
import { resultOf } from './report/search-result.ts';
import { answerText } from './report/search-text.ts';
import { cellLabel } from './report/text-line.ts';
import { TrialReader } from './report/trial.ts';
import type { TrialOutcome } from './trial-controller.ts';

export class SearchTrials {
  /** One a cell. */
  readonly searches: readonly CellSearch[];
  private readonly scenario: Scenario;
  private readonly collector: RunCollector;
  private readonly notice: (message: string) => void;
  /** The trial that is under way, its records, and how it ended. */
  private reader: { trial: number; records: TrialReader } | undefined;
  private ended: { outcome: TrialOutcome; hookFailure: string | undefined } | undefined;

  constructor(scenario: Scenario, collector: RunCollector, notice: (message: string) => void) {
    this.searches = searchesOf(scenario);
    this.scenario = scenario;
    this.collector = collector;
    this.notice = notice;
  }

  /** Each when the one before has ended; a notice and a record say what a search came to. */
  async *trials(): AsyncGenerator<TrialPlan> {
    this.collector.follow((record) => this.take(record));
    const plan = cellPlanner(this.scenario);
    let begun = 0;
    try {
      for (const [search, { cell, spec }] of this.searches.entries()) {
        const results: SearchResult[] = [];
        let answer: SearchAnswer | undefined;
        while (answer === undefined) {
          const step = nextStep(spec, results);
          if ('answer' in step) {
            answer = step.answer;
            break;
          }
          const round = 1 + results.filter(({ value }) => value === step.next).length;
          const trial = { index: begun++, round, ...plan({ ...cell, [spec.over]: step.next }) };
          const record = redactForJournal(trial);
          await this.collector.record({ type: 'search-trial', search, plan: record });
          this.reader = { trial: trial.index, records: new TrialReader(record, this.scenario.dnf, []) };
          this.ended = undefined;
          yield trial;
          const end = this.endOfTrial();
          if ('trial' in end) results.push(resultOf(spec, end.trial));
          else answer = { end: 'stopped', trials: results.length + 1, reason: end.reason };
        }
        await this.collector.record({ type: 'search-answer', search, answer });
        this.notice(`${cellLabel(cell)}: ${answerText(spec, answer)}`);
      }
    } finally {
      this.collector.follow(undefined);
    }
  }

  /** Of the trial that was given out last. */
  note(outcome: TrialOutcome, hookFailure?: string): void {
    this.ended = { outcome, hookFailure };
  }

  private take(record: JournalRecord): void {
    const { reader } = this;
    if (reader === undefined || !('trial' in record) || record.trial !== reader.trial) return;
    if (!reader.records.closed) reader.records.read(record);
  }

  /** A trial whose hook failed, or that was aborted, says nothing of its value. */
  private endOfTrial(): { trial: ReportTrial } | { reason: string } {
    const { reader, ended } = this;
    if (reader === undefined || ended === undefined) throw new Error('the trial before has not ended');
    const { outcome, hookFailure } = ended;
    const reason = hookFailure ?? (outcome.state === 'aborted' ? outcome.reason : undefined);
    return reason === undefined ? { trial: reader.records.finish({}) } : { reason };
  }
}
