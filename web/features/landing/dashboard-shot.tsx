import { longDate } from '../../lib/dates.ts';
import { Wordmark } from '../../ui/logo.tsx';
import { notAfterOf, SampleCard } from './sample-card.tsx';
import type { Sample } from './sample-card.tsx';

const EXPIRED: Sample = {
  hostname: 'legacy.fjord.example',
  issuer: "Let's Encrypt · R13",
  days: -4,
  lifetimeDays: 90,
};
const NEXT: Sample = {
  hostname: 'pay.fjord.example',
  issuer: 'DigiCert · TLS RSA 2020 CA1',
  days: 2,
  lifetimeDays: 199,
};
const OTHERS: Sample[] = [
  { hostname: 'git.orchard.example', issuer: 'ZeroSSL · ECC Site CA', days: 11, lifetimeDays: 90 },
  { hostname: 'fjord.example', issuer: 'Google Trust Services · WE1', days: 32, lifetimeDays: 90 },
  { hostname: 'docs.moss.example', issuer: "Let's Encrypt · R13", days: 66, lifetimeDays: 90 },
  { hostname: 'vpn.orchard.example', issuer: 'DigiCert · Global G2 TLS RSA', days: 168, lifetimeDays: 199 },
];

/** The dashboard in the dark theme, drawn from the same parts; below 720 px one card stands for it. */
export function DashboardShot({ productName, now }: { productName: string; now: number }) {
  return (
    <>
      <div className="mt-6 md:hidden">
        <SampleCard sample={NEXT} now={now} />
      </div>
      {/* The page's own shadow: that of the dark theme would be a black cloud on a light page. */}
      <div className="mt-9 rounded-[14px] shadow-3 max-md:hidden">
        <figure
          data-theme="dark"
          className="h-[540px] overflow-hidden rounded-[14px] border border-line bg-bg text-fg"
          aria-label="The dashboard with invented hosts"
        >
          <div className="border-b border-line bg-surface">
            <div className="mx-auto flex h-[52px] max-w-[1080px] items-center px-10">
              <Wordmark name={productName} size="small" />
              <span className="flex-1" />
              <span className="grid size-7 place-items-center rounded-full bg-fg text-small font-semibold text-bg">
                MV
              </span>
            </div>
          </div>
          <div className="mx-auto max-w-[1080px] px-10 pt-9">
            <p className="text-[22px]/7 font-bold tracking-[-.022em]">
              Two certificates need attention this week
            </p>
            <p className="mt-1 mb-6 text-fg-2">
              <b className="font-[560] text-fg">{EXPIRED.hostname}</b> expired on{' '}
              {longDate(notAfterOf(EXPIRED, now))}. Next is{' '}
              <b className="font-[560] text-fg">{NEXT.hostname}</b> on {longDate(notAfterOf(NEXT, now))}.
            </p>
            <div className="grid grid-cols-2 gap-4 xl:grid-cols-3">
              {[EXPIRED, NEXT, ...OTHERS].map((sample) => (
                <SampleCard key={sample.hostname} sample={sample} now={now} />
              ))}
            </div>
          </div>
        </figure>
      </div>
    </>
  );
}
