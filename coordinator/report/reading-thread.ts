/** One of the threads that read a journal together: its share of the trials, in one message. */
import { parentPort, workerData } from 'node:worker_threads';
import { readJournal } from '../journal-file.ts';
import { readRun } from './model.ts';
import { packTrial } from './packed-trial.ts';
import type { ThreadTask } from './read-in-threads.ts';

const { directory, share, options } = workerData as ThreadTask;
const { trials } = await readRun(readJournal(directory, share), options);
parentPort!.postMessage(trials.map(packTrial));
