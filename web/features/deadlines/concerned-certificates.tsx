import { type RefObject, useRef } from 'react';
import { type DeadlinesWire, exportDeadlines } from '../../../contract/calls/deadline.ts';
import { ExportCsv } from '../../domain/export-csv.tsx';
import { SectionError } from '../../domain/section-error.tsx';
import { messageOf } from '../../lib/api-error.ts';
import { LinkButton } from '../../ui/button.tsx';
import { SearchField } from '../../ui/form/search-field.tsx';
import { Select, type SelectOption } from '../../ui/form/select-field.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import { type DeadlinesSearch, queryOf, useDeadlineCertificates } from './deadline-queries.ts';
import { DeadlineTable } from './deadline-table.tsx';
import { ruleChoices } from './deadline-words.ts';

const ALL = 'all';

interface ConcernedCertificatesProps {
  /** Takes the focus when a date shows its certificates. */
  heading: RefObject<HTMLHeadingElement | null>;
  deadlines: DeadlinesWire;
  search: DeadlinesSearch;
  change: (patch: DeadlinesSearch) => void;
  now: number;
}

/** Lists the certificates of all dates or of one, with search and export. */
export function ConcernedCertificates({
  heading,
  deadlines,
  search,
  change,
  now,
}: ConcernedCertificatesProps) {
  const input = useRef<HTMLInputElement>(null);
  const list = useDeadlineCertificates(search);
  const { total } = list;
  const isFiltered = search.q !== undefined || search.rule !== undefined;
  return (
    <section className="mt-9">
      <h2 ref={heading} tabIndex={-1} className="scroll-mt-20 text-[15px]/5 font-semibold">
        Certificates
      </h2>
      <div className="mt-3 mb-3 flex flex-wrap items-center gap-2">
        <SearchField
          ref={input}
          label="Find by name, domain, tag or note"
          value={search.q}
          hits={search.q === undefined ? null : total}
          onSearch={(q) => change({ q })}
          className="w-full md:w-[280px] lg:w-[300px]"
        />
        <div className="min-w-0 flex-1 md:max-w-[460px]">
          <Select
            label="Date"
            value={search.rule ?? ALL}
            onChange={(rule) => change({ rule: rule === ALL ? undefined : rule })}
            options={datesOf(deadlines)}
            className="md:min-h-9!"
          />
        </div>
        <span className="md:ml-auto">
          <ExportCsv file={exportDeadlines} query={queryOf(search)} what="deadlines" />
        </span>
      </div>
      {list.error !== null ? (
        <SectionError title="Could not load the certificates" note="Checks continue." read={list} />
      ) : total === null ? (
        <div aria-busy="true">
          <span className="sr-only">Loading certificates...</span>
          <Skeleton className="h-40 w-full" />
        </div>
      ) : total === 0 ? (
        <p className="text-body text-fg-2">
          {isFiltered ? (
            <>
              No certificate matches.{' '}
              <LinkButton onClick={() => change({ q: undefined, rule: undefined })}>Clear</LinkButton>
            </>
          ) : (
            'No certificate has to be replaced before a date. Choose a limit on lifetimes to list the certificates that last longer.'
          )}
        </p>
      ) : (
        <>
          {list.failed !== null && (
            <p role="alert" className="mb-2 text-label text-critical-fg">
              Could not load some rows: {messageOf(list.failed)}{' '}
              <LinkButton onClick={list.refetch}>Try again</LinkButton>
            </p>
          )}
          <DeadlineTable list={list} now={now} />
        </>
      )}
    </section>
  );
}

function datesOf({ deadlines, replacements }: DeadlinesWire): SelectOption[] {
  return [
    { value: ALL, label: 'All dates but limits on lifetimes' },
    ...ruleChoices(deadlines).map(({ rule, label }) => ({ value: rule, label })),
    ...(replacements.total === 0
      ? []
      : [{ value: 'replacement_wanted', label: 'Replacements that your CAs asked for' }]),
  ];
}
