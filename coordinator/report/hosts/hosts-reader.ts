/** A trial's hosts, from their journal records to their place in the report. */
import type { HostFacts, HostSecond } from '../../../shared/metrics/host-second.ts';
import type { HostJournalRecord, HostLostRecord, HostRecord } from '../../journal-records.ts';
import type { ReportHost } from './host-model.ts';
import { pathOf } from './path.ts';
import { summarizeHost } from './summarize-host.ts';

interface Host {
  record: HostRecord | undefined;
  facts: HostFacts | undefined;
  lost: HostLostRecord | undefined;
  /** By their time: a late one may have been journaled twice, and a host that was started anew numbers them anew. */
  samples: Map<number, HostSecond>;
}

export class HostsReader {
  private readonly hosts = new Map<string, Host>();

  read(record: HostJournalRecord): void {
    const host = this.host(record.host);
    switch (record.type) {
      case 'host':
        host.record ??= record;
        break;
      case 'host-facts':
        host.facts ??= record.facts;
        break;
      case 'host-lost':
        host.lost = record;
        break;
      case 'host-second':
        host.samples.set(record.sample.fromUs, record.sample);
    }
  }

  /**
   * Workers first, by name.
   * @param durationUs the measured time, from the start instant
   * @param targetAddresses that the load went to
   */
  finish(durationUs: number, targetAddresses: readonly string[]): ReportHost[] {
    const loading = this.machinesOfWorkers();
    return [...this.hosts]
      .map(([name, { record, facts, lost, samples }]) => {
        const { role = 'worker', clockOffsetUs = 0, clockUncertaintyUs = 0 } = record ?? {};
        const path = facts === undefined ? [] : pathOf(facts, role, targetAddresses, loading);
        return {
          name,
          role,
          clockOffsetUs,
          clockUncertaintyUs,
          ...(lost !== undefined && { lost: { atUs: lost.atUs, reason: lost.reason } }),
          ...summarizeHost([...samples.values()], facts, path, durationUs),
        };
      })
      .sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1));
  }

  private machinesOfWorkers(): (string | undefined)[] {
    return [...this.hosts.values()].flatMap(({ record, facts }) =>
      record?.role === 'worker' ? [facts?.machine] : [],
    );
  }

  private host(name: string): Host {
    const known = this.hosts.get(name);
    if (known !== undefined) return known;
    const host: Host = { record: undefined, facts: undefined, lost: undefined, samples: new Map() };
    this.hosts.set(name, host);
    return host;
  }
}

function order({ role }: ReportHost): number {
  return role === 'worker' ? 0 : 1;
}
