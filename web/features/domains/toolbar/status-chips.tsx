import { LoaderCircle, Unplug } from 'lucide-react';
import type { ListStatus, SummaryWire } from '../../../../contract/domain.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { chipsOf, LASTING_CHIPS } from './chips.ts';
import type { Chip } from './chips.ts';

const MARKS: Partial<Record<NonNullable<Chip['glyph']>, string>> = {
  expired: 'text-expired-mark',
  critical: 'text-critical-mark',
  soon: 'text-soon-mark',
  revoked: 'text-revoked-mark',
  fault: 'text-critical-mark',
  ok: 'text-ok-mark',
};

/** From what width on the lasting chips, and the others, have their words: by how many of the others there are. */
const WORDS = [
  ['@min-[530px]:inline'],
  ['@min-[600px]:inline', '@min-[780px]:inline'],
  ['@min-[610px]:inline', '@min-[780px]:inline'],
  ['@min-[650px]:inline', '@min-[880px]:inline'],
  ['@min-[695px]:inline', '@min-[980px]:inline'],
  ['@min-[740px]:inline', '@min-[1120px]:inline'],
];

/** Where not all are in sight, problems come before the dates. */
function placeOf(status: ListStatus | undefined): string {
  if (status === undefined) return '@max-[529px]:-order-2';
  return status === 'problem' ? '@max-[529px]:-order-1' : '';
}

interface StatusChipsProps {
  summary: SummaryWire | undefined;
  chosen: ListStatus | undefined;
  onChoose: (status: ListStatus | undefined) => void;
}

/** The filters by state, which are the legend of the horizon too. The chosen one, pressed again, gives way to All. */
export function StatusChips({ summary, chosen, onChoose }: StatusChipsProps) {
  const chips = chipsOf(summary, chosen);
  // With their words while these fit; those that are there at times are the first to do without.
  const extra = Math.min(chips.length - LASTING_CHIPS, WORDS.length - 1);
  const wordsOf = (index: number) => WORDS[extra]?.[index < LASTING_CHIPS ? 0 : 1] ?? '';
  return (
    <div
      role="group"
      aria-label="Filter by state"
      // Where it is narrow, what has to be scrolled to fades out at the edge.
      className="flex min-w-0 gap-0.5 overflow-x-auto p-1 [scrollbar-width:none] @max-[529px]:mask-r-from-[calc(100%-24px)] @max-[529px]:pr-6"
    >
      {chips.map(({ status, label, glyph, count }, index) => {
        const isChosen = status === chosen;
        return (
          <button
            key={label}
            type="button"
            aria-pressed={isChosen}
            aria-label={count === undefined ? label : `${label}, ${count.toLocaleString('en-GB')}`}
            title={label}
            onClick={() => onChoose(isChosen ? undefined : status)}
            className={classNames(
              placeOf(status),
              count === 0 && !isChosen && '@max-[529px]:hidden',
              'inline-flex min-h-10 flex-none items-center gap-1.5 rounded-2 border px-2 text-label font-[520] whitespace-nowrap md:min-h-8',
              // Many stand closer.
              extra < 2 && 'md:gap-[7px] md:px-2.5',
              isChosen
                ? 'border-line-2 bg-surface text-fg shadow-1 forced-colors:border-[Highlight]'
                : 'border-transparent text-fg-2 hover:bg-sunken',
            )}
          >
            <ChipGlyph glyph={glyph} />
            <span className={glyph === null ? '' : `hidden ${wordsOf(index)}`}>{label}</span>
            <span className="num font-[480] text-fg-3">{count?.toLocaleString('en-GB') ?? '–'}</span>
          </button>
        );
      })}
    </div>
  );
}

function ChipGlyph({ glyph }: Pick<Chip, 'glyph'>) {
  if (glyph === null) return null;
  if (glyph === 'unread' || glyph === 'pending') {
    const Icon = glyph === 'unread' ? Unplug : LoaderCircle;
    return <Icon className="size-[13px] text-fg-3" strokeWidth={1.8} aria-hidden="true" />;
  }
  return (
    <Glyph
      name={glyph}
      className={classNames('size-3 [--glyph-cut:var(--bg)]', MARKS[glyph] ?? 'text-fg-3')}
    />
  );
}
