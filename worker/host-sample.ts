/** What this worker's process takes of its machine. */
import type { HostSample } from '../shared/protocol/worker-facts.ts';

let lastResidentBytes = 0;

/** Of now; where the process has no descriptor left to look with, as it was last seen. */
export function residentBytes(): number {
  try {
    lastResidentBytes = process.memoryUsage.rss();
  } catch {
    // A worker without descriptors goes on, and tells of them.
  }
  return lastResidentBytes;
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
