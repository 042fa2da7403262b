/**
 * A program, run under a low limit of open files: opens connections to the port given until there are no descriptors
 * left, goes on firing all the same, and prints as JSON how often a timer ran meanwhile and which errors it saw.
 */
import { clock } from '../../shared/clock.ts';
import { createHttpEngine } from '../../worker/engine/http/http-engine.ts';
import { RecordingSink } from './recording-sink.ts';

const sink = new RecordingSink();
const slots = 200;
const engine = await createHttpEngine({
  requests: [
    {
      name: 'request',
      weight: 1,
      method: 'GET',
      url: `http://127.0.0.1:${process.argv[2]}/`,
      headers: [],
      timeoutUs: 10_000_000,
      connectTimeoutUs: 10_000_000,
    },
  ],
  startAt: 0,
  addresses: ['127.0.0.1'],
  slots,
  keepAlive: true,
  clock,
  sink,
  onFree: (slot) => engine.fire(slot, clock.now()),
});
for (let slot = 0; slot < slots; slot++) engine.fire(slot, clock.now());

let turns = 0;
const timer = setInterval(() => {
  if (++turns < 10) return;
  clearInterval(timer);
  engine.close();
  const classes = [...new Set(sink.samples.map(({ errorClass }) => errorClass))];
  process.stdout.write(JSON.stringify({ turns, classes, message: sink.samples[0]?.message }));
  process.exit(0);
}, 10);
