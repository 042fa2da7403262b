/** In what two trials differ that are to be compared: their loads and requests, and how they were run. */
import { isOpenLoop, type LoadPlan } from '../../../shared/domain/load-plan.ts';
import { formatDuration } from '../../../shared/domain/units.ts';
import { stagesText, thinkTimeText } from '../load-text.ts';
import type { ReportRequest, ReportScript, ReportTrial } from '../schema.ts';
import { plain, plural } from '../text-line.ts';
import type { Difference } from './schema.ts';

/** Of the shape of the load: with these, not the targets alone make the ratio. How long it lasts is no shape. */
export function loadDifferences(a: ReportTrial, b: ReportTrial): Difference[] {
  return differing(loadFields(a), loadFields(b));
}

/** Of everything else that a comparison would better have alike. */
export function settingDifferences(a: ReportTrial, b: ReportTrial): Difference[] {
  return differing(settingFields(a), settingFields(b));
}

type Fields = Record<string, string>;

function differing(a: Fields, b: Fields): Difference[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.flatMap((what): Difference[] => {
    const [left = 'none', right = 'none'] = [a[what], b[what]];
    return left === right ? [] : [{ what, a: left, b: right }];
  });
}

function loadFields({ script, load, requests, target, data }: ReportTrial): Fields {
  return {
    executor: load.executor,
    ...(script !== undefined && scriptFields(script)),
    ...paceFields(load),
    ...(load.executor !== 'script' && { 'keep-alive': load.keepAlive ? 'yes' : 'no' }),
    ...requestFields(requests, target.url),
    ...(data !== undefined && { data: plain(`${plural(data.rows, 'row')} of ${data.columns.join(', ')}`) }),
  };
}

function scriptFields({ name, sha256, scenarios = {}, output }: ReportScript): Fields {
  const executors = Object.entries(scenarios).map(([scenario, executor]) => `${scenario}: ${executor}`);
  return {
    script: plain(`${name}${sha256 === undefined ? '' : ` (${sha256.slice(0, 8)})`}`),
    scenarios: plain(executors.join(', ')),
    output,
  };
}

function paceFields(load: LoadPlan): Fields {
  if (isOpenLoop(load)) {
    const rate =
      load.executor === 'constant-arrival-rate'
        ? `${load.rate}/s`
        : stagesText(load.startRate, load.stages, (value) => `${value}/s`);
    return {
      'arrival rate': rate,
      arrivals: load.poisson === undefined ? 'even' : 'Poisson',
      connections: `at most ${load.maxConnections}`,
    };
  }
  if (load.executor === 'script') return {};
  const connections =
    load.executor === 'constant-connections'
      ? `${load.connections}`
      : stagesText(load.startConnections, load.stages, String);
  const thinking = thinkTimeText(load.thinkTime);
  return { connections, ...(thinking.length > 0 && { 'think time': thinking.join() }) };
}

/** A scenario with a thousand requests differs in a few of them: those are what is to be read. */
function requestFields(requests: readonly ReportRequest[], targetUrl: string): Fields {
  const texts = requests.map((request) => requestText(request, targetUrl, requests.length > 1));
  if (texts.length === 1) return { request: texts[0]! };
  const fields: Fields = { requests: plural(texts.length, 'request') };
  texts.forEach((text, i) => {
    fields[`request ${i + 1}`] = text;
  });
  return fields;
}

/** Without the origin, which may well be what is compared. */
function requestText(request: ReportRequest, base: string, weighted: boolean): string {
  const { method, url, weight, headersDigest, sendsBody } = request;
  const path = url.startsWith(`${base}/`) ? url.slice(base.length) : url.replace(/^\w+:\/\/[^/]*/, '');
  const parts = [
    `${method} ${path}`,
    ...(weighted ? [`weight ${weight}`] : []),
    ...(headersDigest === undefined ? [] : [`headers (digest ${headersDigest})`]),
    ...(sendsBody ? ['a body'] : []),
  ];
  return plain(parts.join(', '));
}

function settingFields({ load, target, workers, warmupUs, warmupRequests }: ReportTrial): Fields {
  const { durationUs, requests } = load as { durationUs?: number; requests?: number };
  const threads = workers.reduce((sum, worker) => sum + worker.threads, 0);
  const hosts = [...new Set(workers.map(({ hostname }) => plain(hostname)))].sort().join(', ');
  return {
    target: plain(`${target.name} at ${target.url}`),
    ...(warmupRequests !== undefined
      ? { 'warm-up': plural(warmupRequests, 'request') }
      : warmupUs !== undefined && { 'warm-up': formatDuration(warmupUs) }),
    ...(durationUs !== undefined && { duration: formatDuration(durationUs) }),
    ...(requests !== undefined && { 'number of requests': String(requests) }),
    workers: `${workers.length} on ${hosts || 'no host'}, ${plural(threads, 'thread')}`,
  };
}
