/** Journals of runs with a known speed and known noise; what differs between two of them is what a test says. */
import type { JournalRecord, RunRecord } from '../../../../coordinator/journal-records.ts';
import { buildReport } from '../../../../coordinator/report/model.ts';
import type { Report } from '../../../../coordinator/report/schema.ts';
import type { Cell, LoadPlan, TrialPlan } from '../../../../shared/domain/run.ts';
import { plannedRequests } from '../../../../shared/domain/shard.ts';
import { failures, runEnded, runRecord, trialPlan, trialRecords } from '../journal-fixture.ts';
import type { Draws, Noise } from '../statistics/simulation.ts';

export const LOAD = {
  executor: 'constant-connections',
  connections: 4,
  durationUs: 1e6,
  keepAlive: true,
} as const satisfies LoadPlan;

export interface SimulatedRun {
  id: string;
  random: Draws;
  noise: Noise;
  cells?: readonly Cell[];
  rounds?: number;
  /** Requests of a trial; p99 needs 368. */
  requests?: number;
  /** Requests a second of a cell, over 1000. */
  speed?: (cell: Cell) => number;
  plan?: (plan: TrialPlan) => TrialPlan;
  /** Every request of it fails. */
  fails?: (plan: TrialPlan) => boolean;
  run?: Partial<RunRecord>;
  end?: Parameters<typeof runEnded>[0];
}

export function simulatedJournal({
  id,
  random,
  noise,
  cells = [{}],
  rounds = 5,
  requests = 400,
  speed = () => 1,
  plan = (same) => same,
  fails = () => false,
  run = {},
  end = {},
}: SimulatedRun): JournalRecord[] {
  const plans = Array.from({ length: rounds }, (_, round) =>
    cells.map((cell, i) => plan(trialPlan(round * cells.length + i, LOAD, cell, round + 1))),
  ).flat();
  return [
    runRecord(plans, { id, ...run }),
    ...plans.flatMap((one) => {
      const pace = speed(one.cell) * Math.exp(noise(random));
      const samples = fails(one)
        ? failures(requests, 1_000)
        : Array.from({ length: requests }, () => ({
            latencyUs: Math.round((4_000 / pace) * Math.exp(0.2 * random.normal())),
            status: 200,
            bytes: 4_337,
            body: 4_096,
          }));
      const planned = plannedRequests(one.load);
      const endUs = (requests * 1_000) / pace;
      return trialRecords(one, [
        {
          worker: 'w1',
          connections: 4,
          seconds: [samples],
          firstRequestUs: 90,
          endUs,
          ...(planned !== undefined && { planned }),
        },
      ]);
    }),
    runEnded(end),
  ];
}

export function simulatedReport(run: SimulatedRun): Promise<Report> {
  return buildReport(simulatedJournal(run));
}
