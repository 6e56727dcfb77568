import {
  deadlineCertificates,
  type DeadlineCertificateWire,
  type DeadlinesWire,
} from '../../../contract/calls/deadline.ts';
import { type PrintedColumn, PrintedList } from '../../domain/printed-list.tsx';
import { counted, grouped, longDate } from '../../lib/format.ts';
import { dayText, doneText, leadText, RENEWALS_NOTE, renewalsText } from './deadline-words.ts';

const COLUMNS: PrintedColumn<DeadlineCertificateWire>[] = [
  { label: 'Certificate', cell: ({ display_name: name }) => name || 'Without a name' },
  { label: 'Date', cell: ({ date }) => dayText(date) },
  { label: 'Renewed', cell: ({ renewed_at: at }) => (at === null ? 'Not yet' : longDate(at)) },
  { label: 'What changes', cell: ({ title }) => title },
  { label: 'Served by', cell: servedBy },
];

function servedBy({ domain, domain_count: count }: DeadlineCertificateWire): string {
  if (domain === null) return '';
  return count > 1 ? `${domain.display_name} and ${grouped(count - 1)} more` : domain.display_name;
}

/** Prints the dates, and all certificates of the list; see `PrintedList`. */
export function PrintedDeadlines({
  deadlines,
  query,
}: {
  deadlines: DeadlinesWire;
  query: Record<string, string>;
}) {
  const { renewals, replacements } = deadlines;
  return (
    <PrintedList call={deadlineCertificates} query={query} what="certificate" columns={COLUMNS}>
      <p className="mt-1">{leadText(deadlines)}</p>
      {deadlines.deadlines.map((deadline) => (
        <section key={`${deadline.rule} ${deadline.date}`} className="mt-3 break-inside-avoid">
          <h2 className="font-semibold">
            {dayText(deadline.date)}: {deadline.title}
          </h2>
          <p>{deadline.advice}</p>
          <p>
            {[doneText(deadline), renewalsText(deadline, renewals)].filter(Boolean).join(', ')}.
            {deadline.reviewed_on !== null && ` As of ${dayText(deadline.reviewed_on)}: `}
            <span className="[overflow-wrap:anywhere]">{deadline.source}</span>
          </p>
        </section>
      ))}
      {renewals.certificates > 0 && (
        <p className="mt-3">
          {counted(renewals.now, 'renewal')} a year now. {RENEWALS_NOTE}
        </p>
      )}
      {replacements.total > 0 && (
        <p className="mt-1">
          {grouped(replacements.done)} of {counted(replacements.total, 'certificate')} replaced after their CA
          asked for it.
        </p>
      )}
    </PrintedList>
  );
}
