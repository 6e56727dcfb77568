import { Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import { daysLeft } from '../../../contract/badge.ts';
import { longDate } from '../../lib/dates.ts';
import { notAfterOf, SampleLifetime } from './sample-card.tsx';
import type { Sample } from './sample-card.tsx';

const TRACKED: Sample = { hostname: 'api.fjord.example', issuer: '', days: 34, lifetimeDays: 90 };
const MAILED: Sample = { hostname: 'pay.fjord.example', issuer: 'DigiCert', days: 2, lifetimeDays: 199 };

/** What the product does today, each with a miniature of the real thing. */
export function KeyFeatures({ now }: { now: number }) {
  return (
    <div className="mt-7 grid gap-8 md:mt-9 md:grid-cols-2">
      <Feature
        title="SSL Certificate Tracking"
        text="Issuer, subject, validity dates and every earlier certificate, one click away. What is wrong with a chain is said in plain words."
      >
        <div className="mb-3 flex items-baseline justify-between gap-3">
          <span className="truncate font-mono text-[13.5px]/5 font-[560]">{TRACKED.hostname}</span>
          <span className="num text-label whitespace-nowrap text-fg-2">
            <b className="font-semibold text-fg">{daysLeft(notAfterOf(TRACKED, now), now)}</b> days left
          </span>
        </div>
        <SampleLifetime sample={TRACKED} now={now} />
      </Feature>
      <Feature
        title="Email Notifications"
        text="An email before expiry says which host, which date and who issued it. Short-lived certificates alert on a schedule of their own."
      >
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
      </Feature>
    </div>
  );
}

function Feature({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="flex flex-col">
      <div className="grid h-44 grid-cols-[minmax(0,1fr)] items-center overflow-hidden rounded-4 border border-line bg-surface px-6 shadow-1 lg:px-14">
        <div>{children}</div>
      </div>
      <h3 className="mt-5 text-subtitle font-semibold tracking-[-.012em]">{title}</h3>
      <p className="mt-1.5 max-w-[540px] text-lead text-fg-2">{text}</p>
    </div>
  );
}
