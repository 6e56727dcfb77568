import { Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import { daysLeft } from '../../../contract/state/badge.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { AccentLabel, WithCurrentTime } from './section-parts.tsx';
import { offerOf } from './offer.ts';
import { SampleLifetime } from './sample-card.tsx';
import { notAfterOf, type Sample } from './samples.ts';
import { listed, longDate } from '../../lib/format.ts';
import { CHANNEL_LABELS } from '../../../contract/words.ts';

const TRACKED: Sample = { hostname: 'api.fjord.example', issuer: '', days: 34, lifetimeDays: 90 };
const ALERTED: Sample = { hostname: 'git.orchard.example', issuer: '', days: 11, lifetimeDays: 90 };
const MAILED: Sample = { hostname: 'pay.fjord.example', issuer: 'DigiCert', days: 2, lifetimeDays: 199 };

const { email: _, webhook: __, ...SERVICES } = CHANNEL_LABELS;

/** Shows the features, each with a miniature of the product. */
export function KeyFeatures() {
  const { isSold } = offerOf(usePublicConfig());
  return (
    <div className="mt-7 grid gap-8 md:mt-9 md:grid-cols-2 xl:grid-cols-3">
      <Feature
        title="SSL Certificate Tracking"
        text="Issuer, subject, validity, revocation and every earlier certificate, one click away. Chain problems, explained in plain words."
      >
        {(now) => <TrackingSample now={now} />}
      </Feature>
      <Feature
        title="Email Notifications"
        text="An email before expiry names the host, the date and the issuer. Short-lived certificates get a schedule of their own."
      >
        {(now) => <MailSample now={now} />}
      </Feature>
      <Feature
        title="Webhook Support"
        chips={isSold ? ['Premium'] : []}
        text={`Every alert as signed JSON for your pipeline. ${listed(Object.values(SERVICES))} get it in their own format.`}
      >
        {(now) => <WebhookSample now={now} />}
      </Feature>
    </div>
  );
}

function TrackingSample({ now }: { now: number }) {
  return (
    <>
      <div className="mb-3 flex items-baseline justify-between gap-3">
        <span className="truncate font-mono text-[13.5px]/5 font-[560]">{TRACKED.hostname}</span>
        <span className="num text-label whitespace-nowrap text-fg-2">
          <b className="font-semibold text-fg">{daysLeft(notAfterOf(TRACKED, now), now)}</b> days left
        </span>
      </div>
      <SampleLifetime sample={TRACKED} now={now} />
    </>
  );
}

function MailSample({ now }: { now: number }) {
  return (
    <div className="rounded-3 border border-line bg-surface px-4 py-3.5 text-label/[19px] shadow-2 dark:bg-menu">
      <div className="flex items-start gap-2">
        <Mail className="mt-0.5 size-4 flex-none text-fg-3" strokeWidth={1.6} aria-hidden="true" />
        <b className="min-w-0 flex-1 font-semibold tracking-[-.012em]">
          {MAILED.hostname} expires in {MAILED.days} days
        </b>
        <span className="num text-small text-fg-3">7:00</span>
      </div>
      <p className="mt-1 ml-6 text-fg-3">
        Issued by {MAILED.issuer}. Valid until {longDate(notAfterOf(MAILED, now))}.
      </p>
    </div>
  );
}

/** Shows an abbreviated webhook payload. */
function WebhookSample({ now }: { now: number }) {
  const notAfter = notAfterOf(ALERTED, now);
  const value = 'text-accent-fg';
  return (
    <pre className="overflow-hidden font-mono text-small/[21px] text-fg-2 max-sm:-mx-3 md:max-xl:-mx-6 xl:-mx-1">
      {'{ "type": '}
      <span className={value}>"certificate.expiring"</span>
      {',\n "data": { …\n  "certificate": { …\n   "name": '}
      <span className={value}>"{ALERTED.hostname}"</span>
      {',\n   "not_after": '}
      <span className={value}>"{new Date(notAfter - (notAfter % 1000)).toISOString()}"</span>
      {'\n  },\n  "step": '}
      <b className="font-semibold text-soon-fg">"warning"</b>
      {', … } }'}
    </pre>
  );
}

interface FeatureProps {
  title: string;
  chips?: string[];
  text: string;
  /** Renders the content for the current time (ms UTC). */
  children: (now: number) => ReactNode;
}

function Feature({ title, chips = [], text, children }: FeatureProps) {
  return (
    <div className="flex flex-col">
      <WithCurrentTime className="grid h-44 grid-cols-[minmax(0,1fr)] items-center overflow-hidden rounded-4 border border-line bg-surface px-6 shadow-1 md:max-xl:px-10">
        {(now) => <div>{children(now)}</div>}
      </WithCurrentTime>
      <h3 className="mt-5 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-subtitle font-semibold tracking-[-.012em]">
        {title}
        {chips.map((chip) => (
          <AccentLabel key={chip}>{chip}</AccentLabel>
        ))}
      </h3>
      <p className="mt-1.5 max-w-[540px] text-lead text-fg-2">{text}</p>
    </div>
  );
}
