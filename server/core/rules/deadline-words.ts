import type { Client } from '../../../contract/check-words.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { count } from '../../../contract/words.ts';
import { expectedRenewal } from '../alert-steps.ts';
import { ROOT_EXPIRES } from '../findings/dates.ts';
import { clientNames } from '../judge/clients/client-rule.ts';
import { listed } from '../one-line.ts';
import type { DatedRule, RuleOf } from './dated-rule.ts';
import { ruleById, rulesOf } from './dated-rules.ts';

/** A rule as the page of deadlines shows it. */
export interface DescribedRule {
  /** What its day changes: clients refuse certificates, renewals bring other certificates, or new certificates live shorter. */
  effect: 'refused' | 'renewal' | 'lifetime';
  /** A sentence without a full stop. */
  title: string;
  /** What to do before. */
  advice: string;
  /** The clients that apply the rule; empty if only CAs do, or if they differ between certificates. */
  clients: readonly Client[];
  /** Null if the day is that of a certificate. */
  source: Pick<DatedRule, 'from' | 'source' | 'reviewedOn'> | null;
}

/** Describes a rule by the id that findings have; undefined if this version does not know the rule. */
export function describeRule(id: string): DescribedRule | undefined {
  if (id === ROOT_EXPIRES)
    return {
      effect: 'refused',
      title: 'Clients refuse certificates whose root has expired',
      advice:
        'Before this day, install certificates that lead to another root. If the authority is your own, renew its root and have it trusted everywhere.',
      clients: [],
      source: null,
    };
  const rule = ruleById(id);
  return rule && { ...wordsOf(rule), clients: rule.clients, source: rule };
}

function wordsOf(rule: DatedRule): Pick<DescribedRule, 'effect' | 'title' | 'advice'> {
  switch (rule.kind) {
    case 'max_lifetime':
      return {
        effect: 'lifetime',
        title: `New public certificates are valid for at most ${count(rule.maxDays, 'day')}`,
        advice: `Certificates that you have stay valid. Automate their renewal before this day.${reuseNote(rule.from)}`,
      };
    case 'no_certificates':
      return {
        effect: 'refused',
        title: `${clientNames(rule.clients)} ${refuses(rule.clients)} all certificates of ${rootList(rule.roots)}`,
        advice: 'Before this day, install certificates that lead to another root.',
      };
    case 'no_new_certificates':
      return {
        effect: 'renewal',
        title: `${clientNames(rule.clients)} ${refuses(rule.clients)} new certificates of ${rootList(rule.roots)}`,
        advice:
          'Certificates that you have stay trusted. Before this day, ask your CA which root its new certificates lead to, or choose another CA.',
      };
    case 'server_auth_only':
      return {
        effect: 'renewal',
        title: 'New public certificates no longer allow client authentication',
        advice:
          'If a server also identifies itself to other servers with its certificate (mutual TLS, mail or XMPP between servers), get a client certificate of a private CA for that. Otherwise, nothing needs to be done.',
      };
    default:
      return {
        effect: 'renewal',
        title: 'New certificates follow other rules',
        advice: 'Ask your CA what the next renewal changes.',
      };
  }
}

/** Returns a sentence about the validation of domains if its rule changes on the same day. */
function reuseNote(from: string): string {
  const reuse = rulesOf('validation_reuse').find((one) => one.from === from);
  return reuse === undefined
    ? ''
    : ` From then on, CAs also validate your domains again after ${count(reuse.maxDays, 'day')} at the latest.`;
}

const MAX_ROOTS = 3;

function rootList(roots: RuleOf<'no_certificates'>['roots']): string {
  const names = Object.values(roots);
  const others = names.length - MAX_ROOTS;
  return listed(others > 0 ? [...names.slice(0, MAX_ROOTS), count(others, 'other root')] : names);
}

const refuses = ({ length }: readonly Client[]): string => (length === 1 ? 'refuses' : 'refuse');
/** Returns the limits on the lifetime of public certificates that begin after `now` (ms UTC), earliest first. */
export function comingLifetimes(now: number): (RuleOf<'max_lifetime'> & { start: number })[] {
  return rulesOf('max_lifetime').filter(({ start }) => start > now);
}

const YEAR_MS = 365 * DAY_MS;

/**
 * Returns how many renewals a year these certificates need, if each is renewed at the usual time of its lifetime. `mostDays` shortens
 * longer lifetimes; null keeps them.
 */
export function renewalsAYear(
  lifetimes: readonly { lifetimeMs: number; certificates: number }[],
  mostDays: number | null,
): number {
  const renewals = lifetimes.map(({ lifetimeMs, certificates }) => {
    const notAfter = Math.max(DAY_MS, Math.min(lifetimeMs, (mostDays ?? Infinity) * DAY_MS));
    return (certificates * YEAR_MS) / expectedRenewal({ notBefore: 0, notAfter }).from;
  });
  return Math.round(renewals.reduce((sum, one) => sum + one, 0));
}
