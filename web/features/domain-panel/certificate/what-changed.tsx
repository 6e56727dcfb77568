import { useState } from 'react';
import type { HistoryEntryWire } from '../../../../contract/domain.ts';
import { SelectField } from '../../../ui/form/select-field.tsx';
import { Disclosure } from '../../../domain/disclosure.tsx';
import { historyChanges } from './history-changes.ts';
import { Fact, Facts } from '../../../domain/panel-section.tsx';
import { SectionError } from '../../../domain/section-error.tsx';
import { useQuery } from '@tanstack/react-query';
import { historyDiff } from '../../../../contract/calls/domain.ts';
import { call } from '../../../lib/api-client.ts';
import { longDate } from '../../../lib/format.ts';

interface WhatChangedProps {
  domainId: string;
  entry: HistoryEntryWire;
  /** The earlier certificates, newest first; at least one. */
  earlier: HistoryEntryWire[];
}

/** Compares a certificate of the history with the previous one or any earlier one. */
export function WhatChanged({ domainId, entry, earlier }: WhatChangedProps) {
  const [isWanted, setIsWanted] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const against = earlier.find((other) => other.id === chosen) ?? earlier[0];
  return (
    <Disclosure summary="What changed" className="mt-1" onToggle={(isOpen) => isOpen && setIsWanted(true)}>
      {against && earlier.length > 1 && (
        <SelectField
          label="Compare with the certificate valid from"
          className="mt-1 mb-2.5"
          value={against.id}
          onChange={setChosen}
          options={earlier.map((other) => ({ value: other.id, label: longDate(other.valid_from) }))}
        />
      )}
      {against && (
        <Changes domainId={domainId} from={against.fingerprint} to={entry.fingerprint} isWanted={isWanted} />
      )}
    </Disclosure>
  );
}

interface ChangesProps {
  domainId: string;
  from: string;
  to: string;
  isWanted: boolean;
}

function Changes({ isWanted, ...pair }: ChangesProps) {
  const diff = useHistoryDiff(pair, isWanted);
  if (diff.data) {
    const changes = historyChanges(diff.data);
    if (changes.length === 0)
      return <p className="pb-1.5 text-meta text-fg-2">Only the dates and the key pair changed.</p>;
    return (
      <div className="pb-1.5">
        <Facts className="grid-cols-[88px_1fr] gap-y-1.5! text-meta!">
          {changes.map(({ term, lines, isMono }) => (
            <Fact key={term} term={term} mono={isMono}>
              {lines.map((line, index) => (
                <bdi key={index} className="block">
                  {line}
                </bdi>
              ))}
            </Fact>
          ))}
        </Facts>
      </div>
    );
  }
  if (diff.isError)
    return <SectionError title="Could not compare the certificates" note="Checks continue." read={diff} />;
  return <p className="pb-1.5 text-meta text-fg-3">Comparing...</p>;
}

/** Two certificates of a domain's history, by fingerprint. */
interface HistoryPair {
  domainId: string;
  /** The older one. */
  from: string;
  to: string;
}

/** Loads the differences between two certificates when `isWanted`. Certificates never change, so they are loaded once. */
function useHistoryDiff({ domainId, from, to }: HistoryPair, isWanted: boolean) {
  return useQuery({
    queryKey: ['domains', 'history-diff', domainId, from, to],
    queryFn: ({ signal }) =>
      call(historyDiff, {
        params: { id: domainId },
        query: { from, to },
        failureText: 'Failed to get me.',
        signal,
      }),
    staleTime: Infinity,
    enabled: isWanted,
  });
}
