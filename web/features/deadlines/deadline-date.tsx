import { CalendarPlus } from 'lucide-react';
import { useState } from 'react';
import { deadlineCalendar, type DeadlinesWire, type DeadlineWire } from '../../../contract/calls/deadline.ts';
import { saveAnswer } from '../../domain/export-csv.tsx';
import { callForResponse } from '../../lib/api-client.ts';
import { counted, listed } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/loading.tsx';
import { toast } from '../../ui/toast.tsx';
import { dayText, distanceText, doneText, renewalsText } from './deadline-words.ts';

interface DeadlineDateProps {
  deadline: DeadlineWire;
  renewals: DeadlinesWire['renewals'];
  now: number;
  /** Number of certificates that the list shows after `onShow`: those of all dates of the rule. */
  listed: number;
  onShow: () => void;
}

/** Shows what changes on a day, what to do before, and how many certificates are done. */
export function DeadlineDate({ deadline, renewals, now, listed: listedCount, onShow }: DeadlineDateProps) {
  const { date, title, advice, clients, source, reviewed_on: reviewedOn, done, total } = deadline;
  return (
    <li className="grid gap-x-6 gap-y-3 border-b border-line p-4 last:border-b-0 md:grid-cols-[130px_minmax(0,1fr)_200px] lg:grid-cols-[150px_minmax(0,1fr)_310px] md:p-5">
      <div>
        <time dateTime={date} className="num block text-body font-semibold">
          {dayText(date)}
        </time>
        <span className="num text-label text-fg-3">{distanceText(date, now)}</span>
      </div>
      <div className="min-w-0">
        <h2 className="text-body font-semibold [overflow-wrap:anywhere]">{title}</h2>
        <p className="mt-1 text-label text-fg-2">{advice}</p>
        <p className="mt-1.5 text-meta text-fg-3">
          {clients.length > 0 && <>Applied by {listed(clients)} · </>}
          {source === null || reviewedOn === null ? (
            'The root certificates give this day.'
          ) : (
            <>
              as of <time dateTime={reviewedOn}>{dayText(reviewedOn)}</time> ·{' '}
              <a href={source} target="_blank" rel="noreferrer" className="link">
                Source<span className="sr-only"> (opens in a new tab)</span>
              </a>
            </>
          )}
        </p>
      </div>
      <div>
        <p className="num mb-1.5 text-label font-[520]">{doneText(deadline)}</p>
        <ProgressBar label={`Done for ${dayText(date)}`} value={done} max={total} />
        {deadline.limit !== null && (
          <p className="num mt-1.5 text-meta text-fg-3">{renewalsText(deadline, renewals)}</p>
        )}
        <div className="mt-3 flex flex-wrap gap-2">
          {listedCount > 0 && (
            <Button variant="outline" size="small" onClick={onShow}>
              Show {counted(listedCount, 'certificate')}
            </Button>
          )}
          <CalendarEntry rule={deadline.rule} date={date} />
        </div>
      </div>
    </li>
  );
}

/** Downloads the date as a calendar entry. */
function CalendarEntry({ rule, date }: { rule: string; date: string }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      await saveAnswer(await callForResponse(deadlineCalendar, { params: { rule } }), `${rule}.ics`);
    } catch (error) {
      toast.failed('Could not create the calendar entry', error);
    }
    setBusy(false);
  };
  return (
    <Button
      variant="ghost"
      size="small"
      busy={busy}
      aria-label={`Calendar entry for ${dayText(date)}`}
      onClick={() => void download()}
    >
      <CalendarPlus className="size-4" strokeWidth={1.6} aria-hidden="true" />
      Calendar entry
    </Button>
  );
}
