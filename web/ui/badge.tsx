import type { ReactNode } from 'react';
import { expiryBadge } from '../../contract/state/badge.ts';
import { classNames } from './class-names.ts';
import { Glyph, type GlyphName } from './glyph.tsx';
import { utcTitle } from '../lib/format.ts';

export type BadgeTone = 'expired' | 'critical' | 'soon' | 'revoked' | 'ok' | 'plain';

const TONES: Record<BadgeTone, string> = {
  expired: 'bg-expired-bg text-expired-fg',
  critical: 'bg-critical-bg text-critical-fg',
  soon: 'bg-soon-bg text-soon-fg',
  revoked: 'bg-revoked-bg text-revoked-fg',
  ok: 'bg-ok-bg text-ok-fg',
  plain: 'border border-line-2 text-fg-2',
};

interface BadgeProps {
  tone: BadgeTone;
  glyph?: GlyphName;
  title?: string | undefined;
  children: ReactNode;
}

/** Shows a badge that is 24 px high, with a shape, text and colour. */
export function Badge({ tone, glyph, title, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={classNames(
        'num inline-flex min-h-6 items-center gap-1.5 rounded-1 pr-[9px] text-meta font-[580] whitespace-nowrap forced-colors:border',
        glyph ? 'pl-[7px]' : 'pl-[9px]',
        TONES[tone],
      )}
    >
      {glyph && <Glyph name={glyph} />}
      {children}
    </span>
  );
}

/** Shows the expiry badge with the specified thresholds. Shows nothing above 14 days. `notAfter` and `now` in ms UTC. */
export function ExpiryBadge({
  notAfter,
  now,
  short = false,
}: {
  notAfter: number;
  now: number;
  short?: boolean;
}) {
  const badge = expiryBadge(notAfter, now);
  if (!badge) return null;
  const verb = notAfter < now ? 'Expired' : 'Expires';
  return (
    <Badge tone={badge.status} glyph={badge.status} title={`${verb} ${utcTitle(notAfter)}`}>
      {short ? badge.shortText : badge.text}
    </Badge>
  );
}

/** Shows 'Revoked' in inverse colours or 'Active', which has a tick and colour only if `isVerified`. */
export function RevocationBadge({ revoked, isVerified = false }: { revoked: boolean; isVerified?: boolean }) {
  if (revoked)
    return (
      <Badge tone="revoked" glyph="revoked">
        Revoked
      </Badge>
    );
  return (
    <span className="inline-flex min-h-6 items-center gap-1.5 text-meta font-[500] whitespace-nowrap text-fg-2">
      {isVerified && <Glyph name="active" className="size-[13px] text-ok-mark" />}
      Active
    </span>
  );
}
