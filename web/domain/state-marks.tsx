import type { FindingWire } from '../../contract/domain.ts';
import { overdueReason, STATE_NAMES } from '../../contract/state/state-words.ts';
import type { AttentionReason, DomainState } from '../../contract/words.ts';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { classNames } from '../ui/class-names.ts';
import { Glyph, type GlyphName } from '../ui/glyph.tsx';

/** A state that has a mark. `pending` has a spinner instead. */
export type MarkedState = Exclude<DomainState, 'pending'> | AttentionReason;

/**
 * The symbol and the colour of each state; `STATE_NAMES` has its words. Expiry states have a shape for each badge, a
 * revocation a struck circle, and every other problem a square.
 */
export const STATE_MARKS = {
  expired: { glyph: 'expired', tone: 'expired' },
  revoked: { glyph: 'revoked', tone: 'revoked' },
  untrusted: { glyph: 'fault', tone: 'critical' },
  critical: { glyph: 'critical', tone: 'critical' },
  down: { glyph: 'fault', tone: 'critical' },
  refused: { glyph: 'fault', tone: 'soon' },
  soon: { glyph: 'soon', tone: 'soon' },
  unreachable: { glyph: 'fault', tone: 'soon' },
  unread: { glyph: 'fault', tone: 'soon' },
  overdue: { glyph: 'fault', tone: 'soon' },
  flawed: { glyph: 'fault', tone: 'soon' },
  ok: { glyph: 'ok', tone: 'ok' },
  paused: { glyph: 'paused', tone: 'plain' },
} as const satisfies Record<MarkedState, { glyph: GlyphName; tone: BadgeTone }>;

const COLOURS: Record<BadgeTone, string> = {
  expired: 'text-expired-mark',
  critical: 'text-critical-mark',
  soon: 'text-soon-mark',
  revoked: 'text-revoked-mark',
  ok: 'text-ok-mark',
  plain: 'text-fg-3',
};

/** Shows the mark of a state beside its words. `className` sets its size (13 px by default) and the colour of the cut-out in it. */
export function StateMark({ state, className }: { state: MarkedState; className?: string }) {
  const { glyph, tone } = STATE_MARKS[state];
  return <Glyph name={glyph} className={classNames(className ?? 'size-[13px]', COLOURS[tone])} />;
}

/** Shows a state as a badge, with other words if `children` are given. */
export function StateBadge({
  state,
  title,
  children = STATE_NAMES[state],
}: {
  state: MarkedState;
  title?: string;
  children?: string;
}) {
  return (
    <Badge {...STATE_MARKS[state]} title={title}>
      {children}
    </Badge>
  );
}

/** Returns the state whose mark a finding of a domain in the given state has; null for a finding that is no problem today. */
export function stateOfFinding(
  { code, severity }: Pick<FindingWire, 'code' | 'severity'>,
  domainState: DomainState,
): AttentionReason | null {
  if (severity === 'note' || severity === 'upcoming') return null;
  if (severity === 'critical' && (code === 'expired' || code === 'revoked')) return code;
  if (severity === 'critical' || code === 'unverifiable') return 'untrusted';
  return code === 'renewal_overdue' ? overdueReason(domainState) : 'flawed';
}
