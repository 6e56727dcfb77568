import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SummaryWire } from '../../../contract/domain.ts';
import { openerId } from '../../domain/domain-actions.tsx';
import { grouped } from '../../lib/format.ts';
import { Glyph } from '../../ui/glyph.tsx';
import type { GlyphName } from '../../ui/glyph.tsx';
import { classNames } from '../../ui/class-names.ts';
import { stateOfPanel } from './panel-history.ts';
import { urgencyWords } from './sentence.ts';
import type { UrgentDomain } from './sentence.ts';
import { useOpenDomain } from './use-open-domain.ts';

const LOOKS: Record<UrgentDomain['reason'], { glyph: GlyphName; mark: string }> = {
  expired: { glyph: 'expired', mark: 'text-expired-mark' },
  revoked: { glyph: 'revoked', mark: 'text-revoked-mark' },
  untrusted: { glyph: 'fault', mark: 'text-critical-mark' },
  critical: { glyph: 'critical', mark: 'text-critical-mark' },
  down: { glyph: 'fault', mark: 'text-critical-mark' },
  soon: { glyph: 'soon', mark: 'text-soon-mark' },
  unreachable: { glyph: 'fault', mark: 'text-critical-mark' },
};

interface AttentionChipsProps {
  attention: SummaryWire['attention'];
  now: number;
  onShowAll: () => void;
}

/** Links the most urgent hosts to their panels, on phones as rows. If there are more, a button lists all of them. */
export function AttentionChips({ attention: { total, first }, now, onShowAll }: AttentionChipsProps) {
  const { openId } = useOpenDomain();
  // The domain whose panel was opened here gets the focus back.
  const [openedHere, setOpenedHere] = useState<string | null>(null);
  if (first.length === 0) return null;
  return (
    <>
      <ul
        aria-label="Most urgent"
        className="max-md:w-full max-md:divide-y max-md:divide-line max-md:rounded-3 max-md:border max-md:border-line-2 max-md:bg-surface md:contents"
      >
        {first.map((domain) => {
          const { glyph, mark } = LOOKS[domain.reason];
          return (
            <li key={domain.id} className="max-w-full">
              <Link
                to="/dashboard"
                search={(former) => ({ ...former, domain: domain.id })}
                state={stateOfPanel}
                resetScroll={false}
                preload={false}
                id={domain.id === openedHere ? openerId(domain.id) : undefined}
                title={domain.display_name}
                onClick={() => setOpenedHere(domain.id)}
                onBlur={() => openId === null && setOpenedHere(null)}
                className="flex min-h-11 items-center gap-1.5 rounded-2 px-2.5 text-label text-fg no-underline hover:bg-sunken md:min-h-8 md:border md:border-line-2 md:bg-surface md:shadow-1"
              >
                <Glyph
                  name={glyph}
                  className={classNames('size-[13px] [--glyph-cut:var(--surface)]', mark)}
                />
                <span className="truncate font-mono font-[560] tracking-[-.025em]">
                  {domain.display_name}
                </span>
                <span className="num flex-none text-fg-2 max-md:ml-auto">
                  <span className="max-md:hidden">· </span>
                  {urgencyWords(domain, now)}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      {total > first.length && (
        <button
          type="button"
          onClick={onShowAll}
          className="min-h-11 rounded-2 px-2.5 text-label font-[560] text-accent-fg hover:bg-sunken md:min-h-8"
        >
          Show all {grouped(total)}
        </button>
      )}
    </>
  );
}
