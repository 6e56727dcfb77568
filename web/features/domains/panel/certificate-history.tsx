import { useState } from 'react';
import type { HistoryEntryWire } from '../../../../contract/domain.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { useCertificateHistory } from '../domain-queries.ts';
import { PanelSection } from './panel-section.tsx';

/** Every certificate that was seen at the host, newest first, as rings on a line. */
export function CertificateHistory({ id }: { id: string }) {
  const history = useCertificateHistory(id);
  return (
    <PanelSection title="Certificate History" aside={history.data?.length || undefined}>
      {history.data ? (
        <Timeline entries={history.data} />
      ) : history.isError ? (
        <div role="alert" className="text-label">
          <p className="font-[520]">Could not load the history</p>
          <p className="mt-0.5 text-fg-2 [overflow-wrap:anywhere]">
            {messageOf(history.error)} Checks go on; only this list is affected.
          </p>
          <Button
            variant="outline"
            size="small"
            className="mt-3"
            busy={history.isFetching}
            onClick={() => void history.refetch()}
          >
            Try again
          </Button>
        </div>
      ) : (
        <LoadingRows />
      )}
    </PanelSection>
  );
}

const RING =
  "after:absolute after:top-[3px] after:left-0 after:size-4 after:rounded-full after:border-3 after:bg-surface after:content-['']";
const LINE =
  "before:absolute before:top-[17px] before:-bottom-1.5 before:left-[7px] before:w-0.5 before:bg-line before:content-[''] last:before:hidden";

function Timeline({ entries }: { entries: HistoryEntryWire[] }) {
  if (entries.length === 0) return <p className="text-label text-fg-2">No certificate was read yet.</p>;
  return (
    <ol>
      {entries.map((entry, index) => (
        <li
          key={entry.id}
          className={classNames(
            'relative pb-[18px] pl-6 text-[13px]/5 last:pb-0',
            RING,
            LINE,
            index === 0 ? 'after:border-ok-mark' : 'after:border-elapsed',
          )}
        >
          <p className="font-mono text-[12.5px]/5 font-[560] [overflow-wrap:anywhere]">{entry.subject}</p>
          <p className="mt-0.5 text-fg-2 [overflow-wrap:anywhere]">{entry.issuer}</p>
          <p className="num mt-0.5 text-fg-3">
            <Time iso={entry.valid_from} /> – <Time iso={entry.expiry_date} />
          </p>
          <SubjectAltNames names={entry.sans} />
        </li>
      ))}
    </ol>
  );
}

const FIRST_NAMES = 2;
// A certificate may carry 2,000 names; each press shows so many more.
const MORE_NAMES = 100;

function SubjectAltNames({ names }: { names: string[] }) {
  const [shown, setShown] = useState(FIRST_NAMES);
  if (names.length === 0) return null;
  const hidden = names.length - shown;
  return (
    <div className="group mt-[7px] flex items-start gap-1">
      <ul aria-label="Names in the certificate" className="flex min-w-0 flex-1 flex-wrap items-center gap-1">
        {names.slice(0, shown).map((name) => (
          <li key={name} className={classNames(CHIP, 'bg-sunken')}>
            {name}
          </li>
        ))}
        {hidden > 0 && (
          <li className="flex">
            <button
              type="button"
              onClick={() => setShown(shown + MORE_NAMES)}
              className={classNames(
                CHIP,
                // Drawn as high as the names beside it, but 44 px to the finger.
                "relative hover:bg-sunken max-md:after:absolute max-md:after:-inset-x-1 max-md:after:-inset-y-2.5 max-md:after:content-['']",
              )}
            >
              +{hidden} more
            </button>
          </li>
        )}
      </ul>
      <CopyButton label="Copy all names" text={names.join('\n')} />
    </div>
  );
}

const CHIP =
  'min-w-0 rounded-1 border border-line px-1.5 font-mono text-[11.5px]/[22px] text-fg-2 [overflow-wrap:anywhere]';

function LoadingRows() {
  return (
    <div>
      <output className="mb-3 block text-label text-fg-2">Loading certificate history...</output>
      {Array.from({ length: 3 }, (_, index) => (
        <div key={index} className="pb-[18px] pl-6 last:pb-0">
          <Skeleton className="h-3 w-3/5" />
          <Skeleton className="mt-2 h-2.5 w-2/5" />
          <Skeleton className="mt-2 h-2.5 w-1/2" />
        </div>
      ))}
    </div>
  );
}
