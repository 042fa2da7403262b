/**
 * Loaded before a program (`node --import`), makes its wall clock wrong by `WRONG_CLOCK_MS` from its first moment on, as
 * that of a machine is that nobody has set. Its monotonic clock stays what it is.
 */
const wrongByMs = Number(process.env.WRONG_CLOCK_MS);
if (!Number.isFinite(wrongByMs)) throw new Error('WRONG_CLOCK_MS is no number');

const now = Date.now.bind(Date);
Date.now = () => now() + wrongByMs;
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + wrongByMs });
