import { ArrowDownWideNarrow, LayoutGrid, List, Plus, Search } from 'lucide-react';
import { expiryBadge } from '../../../contract/state/badge.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { segmentClass, SEGMENTS } from '../../ui/segments.ts';
import { notAfterOf, type Sample } from './samples.ts';

const CHIP = 'inline-flex h-8 items-center gap-[7px] rounded-2 border px-2.5 text-label font-[520]';
const FILTERS = [
  { glyph: 'critical', label: 'Needs attention', mark: 'text-critical-mark', needs: () => true },
  {
    glyph: 'soon',
    label: 'Expiring',
    mark: 'text-soon-mark',
    needs: (status: string) => status !== 'revoked',
  },
  {
    glyph: 'fault',
    label: 'Problems',
    mark: 'text-critical-mark',
    needs: (status: string) => status === 'revoked',
  },
] as const;

/** Draws the dashboard's toolbar; its controls do nothing. */
export function ShotToolbar({ samples, now }: { samples: readonly Sample[]; now: number }) {
  const urgent = samples.flatMap((sample) =>
    sample.revoked ? 'revoked' : (expiryBadge(notAfterOf(sample, now), now)?.status ?? []),
  );
  return (
    <div className="mt-4 flex items-center gap-2 whitespace-nowrap" aria-hidden="true">
      <span className="hidden h-9 w-44 items-center gap-2 rounded-2 border border-control bg-surface px-3 text-fg-3 lg:flex xl:w-52">
        <Search className="size-3.5" strokeWidth={1.6} />
        <span className="flex-1">Find a domain</span>
      </span>
      <span className={`${CHIP} border-line-2 bg-surface`}>
        All <span className="num font-[480] text-fg-3">{samples.length}</span>
      </span>
      {FILTERS.map(({ glyph, label, mark, needs }) => (
        <span key={label} className={`${CHIP} border-transparent text-fg-2`}>
          <Glyph name={glyph} className={`size-3 [--glyph-cut:var(--bg)] ${mark}`} />
          <span className="hidden xl:inline">{label}</span>
          <span className="num font-[480] text-fg-3">{urgent.filter(needs).length}</span>
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
