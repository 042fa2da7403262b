/** /proc/meminfo (proc_meminfo(5)). */
import type { HostSecond } from '../../shared/metrics/host-second.ts';
import { numbersAfter } from './proc-text.ts';

/** Kernels before 3.14 do not tell what is available; it is at least what is free. */
export function readMemory(text: string): HostSecond['memory'] {
  const { MemTotal, MemAvailable, MemFree } = numbersAfter(text, ['MemTotal', 'MemAvailable', 'MemFree']);
  if (MemTotal === 0) return undefined;
  return { totalBytes: MemTotal * 1024, availableBytes: (MemAvailable || MemFree) * 1024 };
}
