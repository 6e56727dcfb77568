import { daysLeft, expiryBadge } from '../../../../contract/badge.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { Badge, ExpiryBadge } from '../../../ui/badge.tsx';
import { Spinner } from '../../../ui/spinner.tsx';

/** Of a domain that is not checked at present. */
export function PausedBadge() {
  return (
    <Badge tone="plain" glyph="paused">
      Paused
    </Badge>
  );
}

/** Either the badge or the days that are left, never both; before a certificate was read, what became of that. */
export function RemainingTime({ domain, now }: { domain: DomainWire; now: number }) {
  if (domain.paused !== null) return <PausedBadge />;
  if (domain.expiry_date !== null) {
    const notAfter = Date.parse(domain.expiry_date);
    if (expiryBadge(notAfter, now)) return <ExpiryBadge notAfter={notAfter} now={now} />;
    return (
      <span className="num text-body text-fg-2">
        <b className="mr-[5px] text-[20px]/[26px] font-semibold tracking-[-.02em] text-fg">
          {daysLeft(notAfter, now)}
        </b>
        days left
      </span>
    );
  }
  if (domain.unreachable && !domain.checking)
    return (
      <Badge tone="soon" glyph="soon">
        No certificate read
      </Badge>
    );
  return (
    <span className="inline-flex items-center gap-2 text-body text-fg-2">
      {domain.checking && <Spinner className="text-fg-3" />}
      {domain.checking ? 'Checking…' : 'Not checked yet'}
    </span>
  );
}
