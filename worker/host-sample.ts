/** What this worker's process takes of its machine. */
import type { HostSample } from '../shared/protocol/messages.ts';

export function residentBytes(): number {
  return process.memoryUsage.rss();
}

/** Samples since the last call; the first covers the time since the start of the process. */
export class HostSampler {
  private lastCpu = process.cpuUsage();
  private lastUs = performance.now() * 1000;

  sample(): HostSample {
    const nowUs = performance.now() * 1000;
    const { user, system } = process.cpuUsage(this.lastCpu);
    const cpu = (user + system) / Math.max(1, nowUs - this.lastUs);
    this.lastCpu = process.cpuUsage();
    this.lastUs = nowUs;
    return { cpu: Math.round(cpu * 1000) / 1000, residentBytes: residentBytes() };
  }
}
