import type { StandingWire } from '../../contract/account.ts';
import { INSECURE_TEXT } from './page-frame.tsx';
import { DAY_MS } from '../../contract/durations.ts';
import { counted, grouped, longDate } from '../lib/format.ts';

/** Days before the end of a trial from which the notice shows. */
const TRIAL_NEWS_DAYS = 3;

export interface Notice {
  kind:
    | 'connection'
    | 'late'
    | 'past_due'
    | 'unconfirmed'
    | 'paused'
    | 'mail'
    | 'unsubscribed'
    | 'trial'
    | 'verify'
    | 'insecure';
  text: string;
}

export interface NoticeFacts {
  isConnectionLost: boolean;
  /** Null until loaded. */
  standing: StandingWire | null;
  email: string;
  /** True if the identity provider reports a verified address only at sign-in, so that the person has to sign in again. */
  learnsAtLogin: boolean;
  /** Maximum number of domains on the Free plan. */
  freeDomains: number;
  isInsecure: boolean;
  /** In ms UTC. */
  now: number;
}

/** Returns the one message of the notice bar: the first that applies, or null if all is well. */
export function noticeOf({
  isConnectionLost,
  standing,
  email,
  learnsAtLogin,
  freeDomains,
  isInsecure,
  now,
}: NoticeFacts): Notice | null {
  if (isConnectionLost)
    return {
      kind: 'connection',
      text: 'Connection lost. This page may be out of date; it updates when the connection is back.',
    };
  const late = standing && lateText(standing);
  if (late) return { kind: 'late', text: late };
  if (standing?.status === 'past_due') return { kind: 'past_due', text: pastDueText(standing.ends_at) };
  if (standing && standing.paused_unconfirmed > 0)
    return { kind: 'unconfirmed', text: unconfirmedText(standing.paused_unconfirmed) };
  if (standing && standing.paused_by_plan > 0)
    return { kind: 'paused', text: pausedText(standing.paused_by_plan, freeDomains) };
  if (standing?.mail_failing)
    return {
      kind: 'mail',
      text: `Email to ${email} bounces, so you get no alerts by email. Check that the mailbox works, then try again.`,
    };
  if (standing?.unsubscribed)
    return {
      kind: 'unsubscribed',
      text: 'You get no alerts by email because you unsubscribed from all of them.',
    };
  const trial = standing && trialText(standing, now);
  if (trial) return { kind: 'trial', text: trial };
  if (standing && !standing.email_verified)
    return {
      kind: 'verify',
      text: learnsAtLogin
        ? `Confirm ${email}: we sent you a link. Open it, then log in again in this browser. Until then, each login sends a new link.`
        : `Confirm ${email}: we sent you a link.`,
    };
  if (isInsecure) return { kind: 'insecure', text: INSECURE_TEXT };
  return null;
}

/** Returns one message for both delays, because late checks make alerts late too. */
function lateText({ checks_late: checks, alerts_late: alerts }: StandingWire): string | null {
  if (checks) return 'Checks are running late. This page may be out of date, and alerts may arrive late.';
  return alerts ? 'Alerts are running late. Checks continue, and this page is up to date.' : null;
}

function pastDueText(endsAt: string | null): string {
  const until = endsAt === null ? '' : ` You have Premium until ${longDate(endsAt)}.`;
  return `Your last payment failed.${until} Update your payment method to keep Premium.`;
}

function unconfirmedText(count: number): string {
  const added = counted(count, 'domain is paused. It was', 'domains are paused. They were');
  return `${added} added before you confirmed this email address. Resume what is yours and remove the rest.`;
}

function pausedText(count: number, freeDomains: number): string {
  const domains = counted(count, 'domain is', 'domains are');
  return `${domains} paused: the Free plan checks up to ${grouped(freeDomains)}. Resume a domain to choose which.`;
}

function trialText({ status, source, ends_at: endsAt }: StandingWire, now: number): string | null {
  if (source !== 'trial' || status !== 'trialing' || endsAt === null) return null;
  const left = Date.parse(endsAt) - now;
  const days = Math.ceil(left / DAY_MS);
  if (days > TRIAL_NEWS_DAYS || days < 1) return null;
  const when = days === 1 ? 'within a day' : `in ${grouped(days)} days`;
  return `Your Premium trial ends ${when}, on ${longDate(endsAt)}. Nothing is deleted then.`;
}
