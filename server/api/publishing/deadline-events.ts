import ical, {
  type ICalCalendar,
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventTransparency,
} from 'ical-generator';
import type { DeadlineWire } from '../../../contract/calls/deadline.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { count } from '../../../contract/words.ts';
import { dayStart } from '../../core/rules/dated-rule.ts';

/** Adds one event of a whole day for each date with certificates that are not renewed yet. */
export function addDeadlineEvents(
  calendar: ICalCalendar,
  deadlines: readonly DeadlineWire[],
  publicUrl: URL,
): void {
  for (const deadline of deadlines)
    if (deadline.left > 0) calendar.createEvent(deadlineEvent(deadline, publicUrl));
}

/** Renders the events of these dates as an iCalendar file (RFC 5545 §3.6.1). */
export function deadlinesCalendar(
  deadlines: readonly DeadlineWire[],
  { productName, publicUrl }: { productName: string; publicUrl: URL },
): string {
  const calendar = ical({
    name: `${productName}: deadlines`,
    prodId: { company: 'Certlantern', product: 'deadlines', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
  });
  for (const deadline of deadlines) calendar.createEvent(deadlineEvent(deadline, publicUrl));
  return calendar.toString();
}

function deadlineEvent(deadline: DeadlineWire, publicUrl: URL): ICalEventData {
  const { rule, title, advice, limit, total, left, changed_at: changedAt } = deadline;
  const page = new URL('/deadlines', publicUrl);
  page.searchParams.set('rule', rule);
  // The numbers of a limit change without a time of the change, which a new version of the event would need.
  const open = limit === null ? [`${left} of ${count(total, 'certificate')} not renewed yet.`] : [];
  const { source, reviewed_on: reviewedOn } = deadline;
  const versionAt = Math.max(...[changedAt, reviewedOn].map((at) => (at === null ? 0 : Date.parse(at))));
  return {
    id: `deadline-${rule}-${deadline.date}`,
    allDay: true,
    start: new Date(dayStart(deadline.date)),
    summary: title,
    stamp: new Date(versionAt),
    sequence: Math.floor(versionAt / DAY_MS),
    transparency: ICalEventTransparency.TRANSPARENT,
    url: page.href,
    description: [
      `${title}.`,
      advice,
      ...open,
      ...(source === null ? [] : [`Source (as of ${reviewedOn}): ${source}`]),
      page.href,
    ].join('\n'),
  };
}
