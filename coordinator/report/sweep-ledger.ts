/** The account of a whole sweep: the ledgers of its trials added up. */
import type { Ledger } from '../../shared/metrics/ledger.ts';
import type { ReportTrial } from './schema.ts';
import { plural } from './text-line.ts';
import { type Fact, ledgerSums } from './trial-facts.ts';

const COUNTS = ['started', 'completed', 'failed', 'inFlight', 'dropped', 'lost'] as const;

/** Both sums over all trials; which of them do not balance is among the remarks. */
export function sweepLedgerFact(trials: readonly ReportTrial[]): Fact[] {
  if (trials.length === 0) return [];
  const ledgers = trials.map(({ ledger }) => ledger);
  const sum = (of: (ledger: Ledger) => number) => ledgers.reduce((total, ledger) => total + of(ledger), 0);
  const [started, completed, failed, inFlight, dropped, lost] = COUNTS.map((name) =>
    sum((ledger) => ledger[name]),
  ) as [number, number, number, number, number, number];
  // Of some of them alone, what was planned says nothing of what was started in all.
  const planned = ledgers.every((ledger) => ledger.planned !== undefined)
    ? { planned: sum((ledger) => ledger.planned ?? 0) }
    : {};
  const broken = ledgers.filter(({ balanced }) => !balanced).length;
  const sums = ledgerSums({ ...planned, started, completed, failed, inFlight, dropped, lost });
  return [
    broken === 0
      ? ['Ledger', `balanced in all ${plural(trials.length, 'trial')}: ${sums}`]
      : ['NOT BALANCED', `in ${broken} of ${plural(trials.length, 'trial')}: ${sums}`],
  ];
}
