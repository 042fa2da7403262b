/** The engines that a load thread can run, by the name that scenarios use. */
import type { EngineFactory } from './engine.ts';
import { createHttpEngine } from './http/http-engine.ts';

export const ENGINES: Record<string, EngineFactory> = { http: createHttpEngine };
