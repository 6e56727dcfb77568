import { useState } from 'react';
import type { HistoryEntryWire } from '../../../../contract/domain.ts';
import { longDate } from '../../../lib/dates.ts';
import { SelectField } from '../../../ui/select-field.tsx';
import { useHistoryDiff } from './diff-query.ts';
import { Disclosure } from './disclosure.tsx';
import { historyChanges } from './history-changes.ts';
import { Fact, Facts, SectionError } from './panel-section.tsx';

interface WhatChangedProps {
  domainId: string;
  entry: HistoryEntryWire;
  /** What came before it, newest first; at least one. */
  earlier: HistoryEntryWire[];
}

/** What a certificate of the history has changed against the one before it, or against any earlier one. */
export function WhatChanged({ domainId, entry, earlier }: WhatChangedProps) {
  const [isWanted, setIsWanted] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const against = earlier.find((other) => other.id === chosen) ?? earlier[0];
  return (
    <Disclosure summary="What changed" className="mt-1" onToggle={(isOpen) => isOpen && setIsWanted(true)}>
      {earlier.length > 1 && (
        <SelectField
          label="Compare with the one valid from"
          className="mt-1 mb-2.5"
          value={against?.id}
          onChange={(event) => setChosen(event.target.value)}
        >
          {earlier.map((other) => (
            <option key={other.id} value={other.id}>
              {longDate(other.valid_from)}
            </option>
          ))}
        </SelectField>
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
      return <p className="pb-1.5 text-meta text-fg-2">Nothing but its dates and its key pair.</p>;
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
    return (
      <SectionError
        title="Could not compare them"
        error={diff.error}
        isRetrying={diff.isFetching}
        onRetry={() => void diff.refetch()}
      />
    );
  return <p className="pb-1.5 text-meta text-fg-3">Comparing...</p>;
}
