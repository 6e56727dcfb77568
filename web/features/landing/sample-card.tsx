import { daysLeft, expiryBadge } from '../../../contract/badge.ts';
import { DAY_MS } from '../../../contract/constants.ts';
import { longDate } from '../../lib/dates.ts';
import { ExpiryBadge } from '../../ui/badge.tsx';
import { FaviconTile } from '../../ui/favicon-tile.tsx';
import { LifetimeBar } from '../../ui/lifetime-bar.tsx';

export interface Sample {
  hostname: string;
  issuer: string;
  /** Until notAfter, counted from now; negative once expired. */
  days: number;
  /** From notBefore to notAfter. */
  lifetimeDays: number;
}

// Half a day more, so that "2 days" stays so while the page is open.
const HALF_DAY_MS = DAY_MS / 2;

/** The lifetime bar of an invented certificate with its two dates below. */
export function SampleLifetime({ sample, now }: { sample: Sample; now: number }) {
  const notAfter = notAfterOf(sample, now);
  const notBefore = notAfter - sample.lifetimeDays * DAY_MS;
  return (
    <>
      <LifetimeBar lifetime={{ notBefore, notAfter, renewalFrom: null, revoked: false }} now={now} />
      <div className="num mt-1.5 flex justify-between gap-3 text-meta text-fg-3">
        <span>{longDate(notBefore)}</span>
        <span className="font-[520] text-fg-2">{longDate(notAfter)}</span>
      </div>
    </>
  );
}

/** When the invented certificate ends, in ms UTC. */
export function notAfterOf(sample: Sample, now: number): number {
  return now + sample.days * DAY_MS + HALF_DAY_MS;
}

/** What is left, as the dashboard writes it. */
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

/** A dashboard card with an invented certificate. */
export function SampleCard({ sample, now }: { sample: Sample; now: number }) {
  return (
    <article className="min-w-0 rounded-4 border border-line bg-surface shadow-1">
      <div className="flex items-center gap-3 px-[18px] pt-4">
        <FaviconTile hostname={sample.hostname} />
        <div className="min-w-0">
          <h3 className="truncate font-mono text-body font-[560]">{sample.hostname}</h3>
          <p className="truncate text-meta/[17px] text-fg-3">{sample.issuer}</p>
        </div>
      </div>
      <div className="px-[18px] pt-4 pb-4">
        <div className="mb-[9px] flex h-[26px] items-center">
          <SampleRemaining sample={sample} now={now} />
        </div>
        <SampleLifetime sample={sample} now={now} />
      </div>
    </article>
  );
}
