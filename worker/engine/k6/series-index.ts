/**
 * Which series a sample counts in: its metric's own, those with tags that somebody asks for, and, for a few metrics, those
 * of its scenario and of its group where there are several.
 */
import { readScriptMetricName } from '../../../shared/domain/script-metric.ts';
import type { Series } from './open-second.ts';
import type { SampleTags } from './sample-tags.ts';

/** Told apart by scenario and by group. */
const SPLIT = new Set([
  'http_reqs',
  'http_req_duration',
  'http_req_failed',
  'iterations',
  'iteration_duration',
  'group_duration',
  'checks',
]);
/** Names that a script makes up as it runs would go without end. */
const MOST_GROUPS = 100;

export class SeriesIndex {
  readonly all: Series[] = [];
  /** Groups beyond the number that is told apart. */
  readonly groupsLeftOut = new Set<string>();
  private readonly asked = new Map<string, { name: string; tags: [string, string][] }[]>();
  private readonly indexes = new Map<string, number>();
  private readonly severalScenarios: boolean;
  private readonly groups = new Set<string>();

  /** @param submetrics names with tags */
  constructor(submetrics: readonly string[], severalScenarios: boolean) {
    this.severalScenarios = severalScenarios;
    for (const name of submetrics) {
      const read = readScriptMetricName(name);
      if (read === undefined || read.tags.length === 0) continue;
      this.asked.set(read.base, [...(this.asked.get(read.base) ?? []), { name, tags: read.tags }]);
    }
  }

  of(metric: string, tags: SampleTags): readonly number[] {
    let indexes = tags.series.get(metric);
    if (indexes === undefined) {
      indexes = [...new Set(this.namesFor(metric, tags))].map((name) => this.indexOf(metric, name));
      tags.series.set(metric, indexes);
    }
    return indexes;
  }

  private namesFor(metric: string, tags: SampleTags): string[] {
    const names = [metric];
    for (const { name, tags: wanted } of this.asked.get(metric) ?? [])
      if (wanted.every(([key, value]) => tags.all.get(key) === value)) names.push(name);
    if (!SPLIT.has(metric)) return names;
    if (this.severalScenarios && tags.scenario !== '') names.push(`${metric}{scenario:${tags.scenario}}`);
    if (this.tellsApart(tags.group)) names.push(`${metric}{group:${tags.group}}`);
    return names;
  }

  private tellsApart(group: string): boolean {
    if (group === '') return false;
    if (this.groups.size < MOST_GROUPS) this.groups.add(group);
    if (this.groups.has(group)) return true;
    if (this.groupsLeftOut.size < MOST_GROUPS) this.groupsLeftOut.add(group);
    return false;
  }

  private indexOf(metric: string, name: string): number {
    let index = this.indexes.get(name);
    if (index === undefined) {
      index = this.all.push({ metric, name }) - 1;
      this.indexes.set(name, index);
    }
    return index;
  }
}
