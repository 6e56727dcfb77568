import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { shortDays } from '../../../domain/day-and-month.ts';
import { shortReachLine } from './reach-line.ts';
import { percentText } from '../../../ui/certificate/uptime-strip-geometry.ts';
import { dateFormat, longDateTime } from '../../../lib/format.ts';

const day = dateFormat({ day: 'numeric', month: 'numeric', year: 'numeric' });
const clock = dateFormat({ hour: '2-digit', minute: '2-digit' });

/** Returns '14:32' on the day of `now` (ms UTC), else '20 Nov'; the title has the long form. Local time. */
export function sinceWords(instant: string, now: number): string {
  const at = Date.parse(instant);
  return day(at) === day(now) ? clock(at) : shortDays(at, now)(at);
}

/** Returns the card's line about a domain that is down: since when and why; null if it is not down. */
export function downLine(domain: DomainWire, now: number): { text: string; title: string } | null {
  const { down_since: since, state, cause } = domain.uptime;
  if (state !== 'down' || since === null) return null;
  const { unreachable } = domain;
  const reason = unreachable ? shortReachLine(unreachable) : cause && withoutName(cause, domain.display_name);
  const message = unreachable?.message ?? cause;
  return {
    text: [`${STATE_NAMES.down} since ${sinceWords(since, now)}`, reason].filter(Boolean).join(' · '),
    title: [`${STATE_NAMES.down} since ${longDateTime(since)}.`, message].filter(Boolean).join(' '),
  };
}

/** Returns 'Answered with the error 503' for 'shop.example answered with the error 503.' */
function withoutName(sentence: string, name: string): string {
  const rest = sentence.replace(`${name} `, '').replace(/\.$/, '');
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Returns the uptime percentage beside the strip; a dash while the state is unknown. */
export function uptimeText({ state, percent, checks }: DomainWire['uptime']): string {
  return percentText(state === null ? null : percent, checks);
}
