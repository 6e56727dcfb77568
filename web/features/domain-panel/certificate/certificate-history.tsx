import { useState } from 'react';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import type { HistoryEntryWire } from '../../../../contract/domain.ts';
import { grouped } from '../../../lib/format.ts';
import { Button } from '../../../ui/button.tsx';
import { DistinguishedName } from '../../../ui/certificate/distinguished-name.tsx';
import { Time } from '../../../ui/time.tsx';
import { useCertificateHistory } from '../../../domain/domain-queries.ts';
import { PanelSection } from '../../../domain/panel-section.tsx';
import { SectionError } from '../../../domain/section-error.tsx';
import { SubjectAltNames } from './san-list.tsx';
import { LoadingRows, TimelineItem } from './timeline.tsx';
import { WhatChanged } from './what-changed.tsx';

/** Number of certificates shown at first, because other sections follow. */
const FIRST_SHOWN = 5;

/** Lists every certificate seen at the host, newest first. */
export function CertificateHistory({ id }: { id: string }) {
  const history = useCertificateHistory(id);
  return (
    <PanelSection title="Certificate History" aside={history.data?.data.length || undefined}>
      {history.data ? (
        <>
          {history.data.not_kept !== null && (
            <p className="mb-3 text-label text-fg-2">{history.data.not_kept}</p>
          )}
          <Timeline domainId={id} entries={history.data.data} />
        </>
      ) : history.isError ? (
        <SectionError title="Could not load the history" note="Checks continue." read={history} />
      ) : (
        <LoadingRows text="Loading certificate history..." />
      )}
    </PanelSection>
  );
}

function Timeline({ domainId, entries }: { domainId: string; entries: HistoryEntryWire[] }) {
  const [isWhole, setIsWhole] = useState(false);
  if (entries.length === 0) return <p className="text-label text-fg-2">{STATE_NAMES.unread} yet.</p>;
  return (
    <>
      <ol>
        {(isWhole ? entries : entries.slice(0, FIRST_SHOWN)).map((entry, index) => (
          <TimelineItem key={entry.id} isCurrent={index === 0}>
            <p className="font-mono text-[12.5px]/5 font-[560] [overflow-wrap:anywhere]">
              <DistinguishedName text={entry.subject} />
            </p>
            <p className="mt-0.5 text-fg-2 [overflow-wrap:anywhere]">
              <DistinguishedName text={entry.issuer} />
            </p>
            <p className="num mt-0.5 text-fg-3">
              <Time iso={entry.valid_from} /> – <Time iso={entry.expiry_date} />
            </p>
            <SubjectAltNames names={entry.sans} />
            <Comparison domainId={domainId} entry={entry} earlier={entries.slice(index + 1)} />
          </TimelineItem>
        ))}
      </ol>
      {!isWhole && entries.length > FIRST_SHOWN && (
        <Button variant="outline" size="small" className="mt-1 ml-6" onClick={() => setIsWhole(true)}>
          Show all {grouped(entries.length)}
        </Button>
      )}
    </>
  );
}

function Comparison(props: { domainId: string; entry: HistoryEntryWire; earlier: HistoryEntryWire[] }) {
  if (!props.entry.kept)
    return <p className="mt-1 text-meta text-fg-3">We keep only names and dates of this certificate.</p>;
  const earlier = props.earlier.filter(({ kept }) => kept);
  return earlier.length > 0 && <WhatChanged {...props} earlier={earlier} />;
}
