import type { DomainWire } from '../../../../contract/domain.ts';
import { dateFormat } from '../../../lib/date-format.ts';
import { longDateTime } from '../../../lib/dates.ts';
import { shortDays } from '../day-and-month.ts';
import { shortReachLine } from '../reach-line.ts';

const day = dateFormat({ day: 'numeric', month: 'numeric', year: 'numeric' });
const clock = dateFormat({ hour: '2-digit', minute: '2-digit' });

/** '14:32' on the day of `now` (ms UTC), else '20 Nov': its title has the long form. In the reader's time zone. */
export function sinceWords(instant: string, now: number): string {
  const at = Date.parse(instant);
  return day(at) === day(now) ? clock(at) : shortDays(at, now)(at);
}

/** What a card says of a domain that is down: since when, and in a few words why; null while it is not. */
export function downLine(domain: DomainWire, now: number): { text: string; title: string } | null {
  const { down_since: since, state } = domain.uptime;
  if (state !== 'down' || since === null) return null;
  const text = `Down since ${sinceWords(since, now)}`;
  const title = `Down since ${longDateTime(since)}.`;
  const { unreachable } = domain;
  if (unreachable === null) return { text, title };
  return { text: `${text} · ${shortReachLine(unreachable)}`, title: `${title} ${unreachable.message}` };
}
