import { Ellipsis } from 'lucide-react';
import { type Badge, daysLeft, expiryBadge } from '../../../contract/state/badge.ts';
import { ExpiryBadge, RevocationBadge } from '../../ui/badge.tsx';
import { FaviconTile } from '../../ui/favicon-tile.tsx';
import { LifetimeBar } from '../../ui/certificate/lifetime-bar.tsx';
import { UptimeStrip } from '../../ui/certificate/uptime-strip.tsx';
import { percentText } from '../../ui/certificate/uptime-strip-geometry.ts';
import { checksOf, notAfterOf, type Sample } from './samples.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { dateFormat, longDate } from '../../lib/format.ts';
import { Glyph } from '../../ui/glyph.tsx';

const dayAndMonth = dateFormat({ day: 'numeric', month: 'short' });

/** Shows the lifetime bar of an example certificate with its dates. */
export function SampleLifetime({ sample, now }: { sample: Sample; now: number }) {
  const notAfter = notAfterOf(sample, now);
  const notBefore = notAfter - sample.lifetimeDays * DAY_MS;
  return (
    <>
      <LifetimeBar
        lifetime={{ notBefore, notAfter, renewalFrom: null, revoked: sample.revoked === true }}
        now={now}
      />
      <div className="num mt-1.5 flex justify-between gap-3 text-meta text-fg-3">
        <span>{longDate(notBefore)}</span>
        <span className="font-[520] text-fg-2">{longDate(notAfter)}</span>
      </div>
    </>
  );
}

/** Shows the remaining time, as on the dashboard. */
function SampleRemaining({ sample, now }: { sample: Sample; now: number }) {
  const notAfter = notAfterOf(sample, now);
  if (expiryBadge(notAfter, now)) return <ExpiryBadge notAfter={notAfter} now={now} />;
  return (
    <span className="num text-fg-2">
      <b className="mr-1 text-title/[26px] font-semibold tracking-[-.02em] text-fg">
        {daysLeft(notAfter, now)}
      </b>{' '}
      days left
    </span>
  );
}

/** Classes for the edge of a card and its first line, as on the dashboard. */
const LOOKS: Record<Badge['status'], { edge: string; strip: string }> = {
  expired: { edge: 'border-expired-mark', strip: 'bg-expired-bg text-expired-fg' },
  critical: { edge: 'border-critical-mark', strip: 'bg-critical-bg text-critical-fg' },
  soon: { edge: 'border-soon-mark', strip: 'bg-soon-bg text-soon-fg' },
};

/** Shows a dashboard card with an example certificate. The renewal of one that expires within two weeks is overdue. */
export function SampleCard({ sample, now }: { sample: Sample; now: number }) {
  const { checks, percent } = checksOf(sample);
  const notAfter = notAfterOf(sample, now);
  const status = expiryBadge(notAfter, now)?.status;
  const hasExpired = status === 'expired';
  return (
    <article
      className={`min-w-0 rounded-4 border bg-surface shadow-1 ${status ? LOOKS[status].edge : 'border-line'}`}
    >
      {status && (
        <p
          className={`flex h-6 items-center gap-1.5 rounded-t-[11px] px-[18px] text-[12.5px]/[17px] font-[550] ${LOOKS[status].strip}`}
        >
          <Glyph name={status} className="size-[13px]" />
          {hasExpired ? `Expired on ${dayAndMonth(notAfter)}` : 'Renewal overdue'}
        </p>
      )}
      <div className={`flex items-center gap-3 px-[18px] ${status ? 'pt-1' : 'pt-4'}`}>
        <FaviconTile hostname={sample.hostname} />
        <div className="min-w-0 flex-1">
          <h3 className="truncate font-mono text-body font-[560]">{sample.hostname}</h3>
          <p className="truncate text-meta/[17px] text-fg-3">{sample.issuer}</p>
        </div>
        <Ellipsis className="mr-1.5 size-4 flex-none text-fg-3" strokeWidth={1.8} aria-hidden="true" />
      </div>
      <div className={`px-[18px] pb-3.5 ${status ? 'pt-1.5' : 'pt-4'}`}>
        <div className="mb-[9px] flex h-[26px] items-center justify-between gap-2">
          <SampleRemaining sample={sample} now={now} />
          <RevocationBadge revoked={sample.revoked === true} isVerified={!hasExpired} />
        </div>
        <SampleLifetime sample={sample} now={now} />
      </div>
      <div className="flex min-h-[43px] items-center gap-3 border-t border-line px-[18px]">
        <UptimeStrip checks={checks} places={90} />
        <span className="num ml-auto flex-none text-meta font-[520] text-fg-2">
          {percentText(percent, checks)}
        </span>
      </div>
    </article>
  );
}
