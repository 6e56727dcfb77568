import type { ListStatus, SummaryWire } from '../../../../contract/domain.ts';
import { CRITICAL_DAYS, SOON_DAYS } from '../../../../contract/words.ts';
import type { GlyphName } from '../../../ui/glyph.tsx';

/** One filter; without a status it is all of them. */
export interface Chip {
  status: ListStatus | undefined;
  label: string;
  glyph: GlyphName | 'unread' | 'pending' | null;
  /** Absent while it is not known. */
  count: number | undefined;
}

const ALWAYS: readonly Omit<Chip, 'count'>[] = [
  { status: undefined, label: 'All', glyph: null },
  { status: 'expired', label: 'Expired', glyph: 'expired' },
  { status: 'critical', label: `0–${CRITICAL_DAYS} days`, glyph: 'critical' },
  { status: 'soon', label: `${CRITICAL_DAYS + 1}–${SOON_DAYS} days`, glyph: 'soon' },
  { status: 'revoked', label: 'Revoked', glyph: 'revoked' },
];
/** How many there are whatever the counts. */
export const LASTING_CHIPS = ALWAYS.length;
const WHERE_ANY: readonly Omit<Chip, 'count'>[] = [
  { status: 'problem', label: 'Problems', glyph: 'fault' },
  { status: 'unread', label: 'Not read', glyph: 'unread' },
  { status: 'pending', label: 'Checking…', glyph: 'pending' },
  { status: 'paused', label: 'Paused', glyph: 'paused' },
];

/** The chips of the toolbar, in their order. One that is chosen stays, whatever its count. */
export function chipsOf(summary: SummaryWire | undefined, chosen: ListStatus | undefined): Chip[] {
  const countOf = (status: ListStatus | undefined) => {
    if (status === undefined) return summary?.total;
    return status === 'problem' ? summary && problemCount(summary) : summary?.counts[status];
  };
  const rest = WHERE_ANY.filter(({ status }) => status === chosen || (countOf(status) ?? 0) > 0);
  const chips = [...ALWAYS, ...rest];
  // What is said to be well has no chip; an address may still ask for it.
  if (chosen === 'ok') chips.push({ status: 'ok', label: `More than ${SOON_DAYS} days`, glyph: 'ok' });
  return chips.map((chip) => ({ ...chip, count: countOf(chip.status) }));
}

// One that is untrusted and down is there twice.
function problemCount({ problems }: SummaryWire): number {
  return new Set(problems.map(({ id }) => id)).size;
}
