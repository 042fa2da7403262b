/** What a search came to, in words. */
import type { Deciding, SearchAnswer, SearchSpec } from '../../shared/domain/search.ts';
import { plain, plural, requestRateText } from './text-line.ts';

/** `best: 12 connections, 812.30/s; 13 breaks p(99) < 200ms (312 ms) in 2 of 2 trials` */
export function answerText(spec: Pick<SearchSpec, 'over' | 'from' | 'to'>, answer: SearchAnswer): string {
  const { end, best, breaks, noMore, fewer, reason, trials } = answer;
  const broken = breaks === undefined ? [] : [breaksText(breaks)];
  if (end === 'stopped') return plain(`no answer, stopped after ${plural(trials, 'trial')}: ${reason}`);
  if (end === 'none') return plain(['no answer: even the lowest is too much', ...broken].join('; '));
  if (end === 'unfinished') {
    const held =
      best === undefined ? [] : [`${valueText(spec, best.value)} held in ${ofTrials(best.held, best)}`];
    return plain(
      [`no answer: trials contradict each other (${trials} of them)`, ...held, ...broken].join('; '),
    );
  }
  const sentences = [
    `best: ${valueText(spec, best!.value)}, ${rateText(spec, best!)}`,
    ...(noMore === undefined ? [] : [`${noMore.value} bring no more (${comparedText(noMore, best!)})`]),
    ...broken,
    ...(fewer === undefined ? [] : [`${fewer.value} reach ${comparedText(fewer, best!)}`]),
    ...(end === 'open' ? ['that is the end of the range: the knee may be higher'] : []),
  ];
  return plain(sentences.join('; '));
}

/** `12 connections`, `400/s` */
export function valueText({ over }: Pick<SearchSpec, 'over'>, value: number): string {
  return over === 'rate' ? `${value}/s` : plural(value, 'connection');
}

function rateText({ over }: Pick<SearchSpec, 'over'>, { rate, held, trials }: Deciding): string {
  const reached = requestRateText(rate);
  return over === 'rate' ? `${reached} reached, held in ${held} of ${plural(trials, 'trial')}` : reached;
}

function breaksText({ value, trials, held, broke }: Deciding): string {
  return `${value} breaks ${broke ?? 'it'} in ${trials - held} of ${plural(trials, 'trial')}`;
}

function ofTrials(count: number, { trials }: Deciding): string {
  return `${count} of ${plural(trials, 'trial')}`;
}

/** `401.20/s, +0.4 %` */
function comparedText({ rate }: Deciding, best: Deciding): string {
  const percent = (rate / best.rate - 1) * 100;
  return `${requestRateText(rate)}, ${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}
