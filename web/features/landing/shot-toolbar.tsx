import { ArrowDownWideNarrow, LayoutGrid, List, Plus, Search } from 'lucide-react';
import { expiryBadge } from '../../../contract/state/badge.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { SEGMENTS, segmentClass } from '../../ui/segments.ts';
import { notAfterOf } from './samples.ts';
import type { Sample } from './samples.ts';

const CHIP = 'inline-flex h-8 items-center gap-[7px] rounded-2 border px-2.5 text-label font-[520]';
const STATES = [
  { status: 'expired', label: 'Expired', mark: 'text-expired-mark' },
  { status: 'critical', label: '0–7 days', mark: 'text-critical-mark' },
  { status: 'soon', label: '8–14 days', mark: 'text-soon-mark' },
  { status: 'revoked', label: 'Revoked', mark: 'text-revoked-mark' },
] as const;

/** Draws the dashboard's toolbar without its function. */
export function ShotToolbar({ samples, now }: { samples: readonly Sample[]; now: number }) {
  const statusOf = (sample: Sample) =>
    sample.revoked ? 'revoked' : expiryBadge(notAfterOf(sample, now), now)?.status;
  return (
    <div className="mt-4 flex items-center gap-2 whitespace-nowrap" aria-hidden="true">
      <span className="hidden h-9 w-44 items-center gap-2 rounded-2 border border-control bg-surface px-3 text-fg-3 lg:flex xl:w-52">
        <Search className="size-3.5" strokeWidth={1.6} />
        <span className="flex-1">Find a domain</span>
      </span>
      <span className={`${CHIP} border-line-2 bg-surface`}>
        All <span className="num font-[480] text-fg-3">{samples.length}</span>
      </span>
      {STATES.map(({ status, label, mark }) => (
        <span key={status} className={`${CHIP} border-transparent text-fg-2`}>
          <Glyph name={status} className={`size-3 [--glyph-cut:var(--bg)] ${mark}`} />
          <span className="hidden xl:inline">{label}</span>
          <span className="num font-[480] text-fg-3">
            {samples.filter((sample) => statusOf(sample) === status).length}
          </span>
        </span>
      ))}
      <span className="flex-1" />
      <ArrowDownWideNarrow className="size-4 text-fg-2" strokeWidth={1.6} />
      <span className={SEGMENTS}>
        <span className={segmentClass(true)}>
          <LayoutGrid className="size-4" strokeWidth={1.6} />
        </span>
        <span className={segmentClass(false)}>
          <List className="size-4" strokeWidth={1.6} />
        </span>
      </span>
      <span className={buttonClass('primary')}>
        <Plus className="size-3.5" strokeWidth={1.8} />
        Add Domain
      </span>
    </div>
  );
}
