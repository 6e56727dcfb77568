import { useRef } from 'react';
import type { DeadlinesWire } from '../../../contract/calls/deadline.ts';
import { SectionError } from '../../domain/section-error.tsx';
import { counted, grouped } from '../../lib/format.ts';
import { useNow } from '../../lib/use-now.ts';
import { LinkButton } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { ConcernedCertificates } from './concerned-certificates.tsx';
import { DeadlineDate } from './deadline-date.tsx';
import { queryOf, useDeadlines, useDeadlinesSearch } from './deadline-queries.ts';
import { dayText, leadText, RENEWALS_NOTE, ruleChoices } from './deadline-words.ts';

const PrintedDeadlines = lazyPart(async () => (await import('./printed-deadlines.tsx')).PrintedDeadlines);

/** Shows the dates on which rules change for the certificates of the account. */
export function DeadlinesPage() {
  usePageTitle('Deadlines');
  const read = useDeadlines();
  return (
    <div className="wrap pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        Deadlines
      </h1>
      {read.data ? (
        <Deadlines deadlines={read.data} />
      ) : read.error ? (
        <SectionError title="Could not load your deadlines" note="Checks continue." read={read} />
      ) : (
        <div aria-busy="true" className="mt-4 min-h-screen">
          <span className="sr-only">Loading deadlines...</span>
          {Array.from({ length: 4 }, (_, index) => (
            <Skeleton key={index} className="mt-3 h-28 w-full" />
          ))}
        </div>
      )}
    </div>
  );
}

function Deadlines({ deadlines }: { deadlines: DeadlinesWire }) {
  const now = useNow();
  const { search, change } = useDeadlinesSearch();
  const heading = useRef<HTMLHeadingElement>(null);
  const showCertificates = (rule: string) => {
    change({ rule, q: undefined });
    heading.current?.focus();
  };
  const { replacements } = deadlines;
  const choices = ruleChoices(deadlines.deadlines);
  const hasCertificates =
    replacements.total > 0 || deadlines.deadlines.some(({ limit, total }) => limit !== null || total > 0);
  return (
    <>
      <p className="mt-1 text-body text-fg-2">{leadText(deadlines)}</p>
      <PrintedDeadlines deadlines={deadlines} query={queryOf(search)} />
      {deadlines.deadlines.length > 0 && (
        <ul className="mt-5 rounded-4 border border-line bg-surface shadow-1">
          {deadlines.deadlines.map((deadline) => (
            <DeadlineDate
              key={`${deadline.rule} ${deadline.date}`}
              deadline={deadline}
              renewals={deadlines.renewals}
              now={now}
              listed={choices.find(({ rule }) => rule === deadline.rule)?.certificates ?? 0}
              onShow={() => showCertificates(deadline.rule)}
            />
          ))}
        </ul>
      )}
      <div className="mt-8 grid gap-8 md:grid-cols-2">
        {deadlines.renewals.certificates > 0 && <Renewals deadlines={deadlines} />}
        <section>
          <h2 className="mb-2 text-[15px]/5 font-semibold">Replacements that your CAs asked for</h2>
          <p className="text-body text-fg-2">
            {replacements.total === 0 ? (
              'No CA has asked for an early replacement of a certificate that your domains serve.'
            ) : (
              <>
                <b className="num font-semibold text-fg">
                  {grouped(replacements.done)} of {counted(replacements.total, 'certificate')}
                </b>{' '}
                replaced after the CA asked for it.{' '}
                <LinkButton onClick={() => showCertificates('replacement_wanted')}>
                  Show {counted(replacements.total, 'certificate')}
                </LinkButton>
              </>
            )}
          </p>
        </section>
      </div>
      {hasCertificates && (
        <ConcernedCertificates
          heading={heading}
          deadlines={deadlines}
          search={search}
          change={change}
          now={now}
        />
      )}
    </>
  );
}

/** Compares the renewals a year now and under each limit on the lifetime. */
function Renewals({ deadlines: { deadlines, renewals } }: { deadlines: DeadlinesWire }) {
  return (
    <section>
      <h2 className="mb-2 text-[15px]/5 font-semibold">Renewals a year</h2>
      <table className="w-full text-left text-body [&_td]:border-t [&_td]:border-line [&_td]:py-1.5 [&_td]:text-right [&_th]:border-t [&_th]:border-line [&_th]:py-1.5 [&_th]:pr-3 [&_th]:font-normal [&_th]:text-fg-2">
        <tbody className="num">
          <tr>
            <th scope="row">Now, {counted(renewals.certificates, 'public certificate')}</th>
            <td className="font-semibold">{grouped(renewals.now)}</td>
          </tr>
          {deadlines.map(({ rule, limit, date }) =>
            limit === null ? null : (
              <tr key={rule}>
                <th scope="row">
                  At most {limit.days} days, from {dayText(date)}
                </th>
                <td className="font-semibold">{grouped(limit.renewals)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      <p className="mt-2 text-meta text-fg-3">{RENEWALS_NOTE}</p>
    </section>
  );
}
