import type { StandingWire } from '../../contract/account.ts';
import { longDate } from '../lib/dates.ts';
import { inWords, inWordsCapitalised } from '../lib/number-words.ts';
import { INSECURE_TEXT } from './insecure-text.ts';
import { DAY_MS } from '../../contract/durations.ts';

/** How close the end of a trial is when it becomes news. */
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
  /** Null until it is known. */
  standing: StandingWire | null;
  email: string;
  /** The provider says who verified an address only when somebody signs in. */
  learnsAtLogin: boolean;
  /** How many domains Free checks. */
  freeDomains: number;
  isInsecure: boolean;
  /** ms UTC */
  now: number;
}

/** The one message of the notice bar: the first that applies, or null when all is well. */
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
      text: 'Connection lost. What you see may be out of date; it updates when the connection is back.',
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
      text: `Mail to ${email} bounces, so alerts do not reach you by mail. Check that its mailbox takes mail, then try again.`,
    };
  if (standing?.unsubscribed)
    return {
      kind: 'unsubscribed',
      text: 'You get no alerts by mail: you unsubscribed from all of them.',
    };
  const trial = standing && trialText(standing, now);
  if (trial) return { kind: 'trial', text: trial };
  if (standing && !standing.email_verified)
    return {
      kind: 'verify',
      text: learnsAtLogin
        ? `Verify your address with the link in the mail to ${email}, then log in again in this browser. Each log-in sends a new link until then.`
        : `Verify your address with the link in the mail to ${email}.`,
    };
  if (isInsecure) return { kind: 'insecure', text: INSECURE_TEXT };
  return null;
}

/** One trouble for who waits, whichever part is behind. */
function lateText({ checks_late: checks, alerts_late: alerts }: StandingWire): string | null {
  if (checks) return 'Checks are running late. What you see may be out of date, and alerts may arrive late.';
  return alerts ? 'Alerts are running late. Checks go on, and what you see is up to date.' : null;
}

function pastDueText(endsAt: string | null): string {
  const until = endsAt === null ? '' : ` Premium goes on until ${longDate(endsAt)}.`;
  return `Your last payment did not go through.${until} A payment method that works keeps it.`;
}

function unconfirmedText(count: number): string {
  const added = count === 1 ? 'domain is paused. It was' : 'domains are paused. They were';
  return `${inWordsCapitalised(count)} ${added} added before you confirmed this address. Resume what is yours and remove the rest.`;
}

function pausedText(count: number, freeDomains: number): string {
  const domains = count === 1 ? 'domain is' : 'domains are';
  return `${inWordsCapitalised(count)} ${domains} paused: Free checks up to ${inWords(freeDomains)}. Resume one to choose which.`;
}

function trialText({ status, source, ends_at: endsAt }: StandingWire, now: number): string | null {
  if (source !== 'trial' || status !== 'trialing' || endsAt === null) return null;
  const left = Date.parse(endsAt) - now;
  const days = Math.ceil(left / DAY_MS);
  if (days > TRIAL_NEWS_DAYS || days < 1) return null;
  const when = days === 1 ? 'within a day' : `in ${inWords(days)} days`;
  return `Your Premium trial ends ${when}, on ${longDate(endsAt)}. Nothing is deleted then.`;
}
