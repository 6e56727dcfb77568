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

interface RemainingTimeProps {
  domain: DomainWire;
  now: number;
  /** In the words of the list view. */
  short?: boolean;
}

/**
 * Either the badge or the days that are left, never both; before a certificate was read, what became of that. One that
 * is paused says so, and beside it what is still due of the certificate that was last seen.
 */
export function RemainingTime({ domain, now, short = false }: RemainingTimeProps) {
  const notAfter = domain.expiry_date === null ? null : Date.parse(domain.expiry_date);
  // The badge's glyph lines up with the text of the column.
  const place = short ? 'inline-flex flex-wrap gap-1 md:-ml-[7px]' : 'inline-flex flex-wrap gap-1.5';
  if (domain.paused !== null)
    return (
      <span className={place}>
        <PausedBadge />
        {notAfter !== null && <ExpiryBadge notAfter={notAfter} now={now} short={short} />}
      </span>
    );
  if (notAfter !== null) {
    if (expiryBadge(notAfter, now))
      return (
        <span className={place}>
          <ExpiryBadge notAfter={notAfter} now={now} short={short} />
        </span>
      );
    const days = daysLeft(notAfter, now);
    if (short) return <span className="num text-[13.5px] text-fg-2">{days} days left</span>;
    return (
      <span className="num text-body text-fg-2">
        <b className="mr-px text-[20px]/[26px] font-semibold tracking-[-.02em] text-fg">{days}</b> days left
      </span>
    );
  }
  if (domain.unreachable && !domain.checking)
    return (
      <span className={place}>
        <Badge tone="soon" glyph="soon">
          {short ? 'Not read' : 'No certificate read'}
        </Badge>
      </span>
    );
  return (
    <span className="inline-flex items-center gap-2 text-body text-fg-2">
      {domain.checking && <Spinner className="text-fg-3" />}
      {domain.checking ? 'Checking…' : 'Not checked yet'}
    </span>
  );
}
