/** A disk that gets full in earnest. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Cleanups } from './scope.ts';

/** Why there is none here, or false. */
export const NO_SMALL_DISK =
  (process.platform !== 'linux' || process.getuid?.() !== 0) && 'making a small disk needs root on Linux';

/** Makes `disk` a disk of 64 KiB, with a file `taken` of so many KiB. */
export async function makeSmallDisk(t: Cleanups, disk: string, takenKib = 0): Promise<void> {
  await mkdir(disk, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  t.after(() => execFileSync('umount', ['-l', disk]));
  if (takenKib > 0) await writeFile(path.join(disk, 'taken'), Buffer.alloc(takenKib * 1024));
}
