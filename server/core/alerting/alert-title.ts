import type { Client } from '../../../contract/check-words.ts';
import { count } from '../../../contract/words.ts';
import { clientNames } from '../judge/clients/client-rule.ts';
import { duration, longDate, longInstant } from '../long-date.ts';
import type { AlertFacts, AlertKind, AlertStep } from './alert.ts';
import { knownZone } from './local-time.ts';

export interface AlertTitleInput {
  kind: AlertKind;
  step: AlertStep;
  facts: AlertFacts;
  /** The display name of the host; for a test message, the product's name. */
  displayName: string;
  /** Whether `displayName` stands for several hosts in a message about outages. */
  isPlural?: boolean;
  now: number;
  /** Time zone of dates, as an IANA name; null writes instants in UTC. Unknown names count as UTC. */
  timeZone: string | null;
}

/** Returns the one-line title of an alert as of `now`: the subject of mails and the title in lists. */
export function alertTitle(alert: AlertTitleInput): string {
  const { kind, step, displayName: host, isPlural = false } = alert;
  const verb = isPlural ? 'are' : 'is';
  if (step === 'resolved') return resolvedTitle(alert);
  switch (kind) {
    case 'expiry':
      return expiryTitle(alert);
    case 'revoked':
      return isIntermediate(alert)
        ? `${host}: an intermediate certificate was revoked`
        : `${host}’s certificate was revoked`;
    case 'wrong_name':
      return `${host} serves a certificate for another name`;
    case 'chain_broken':
      return step === 'some_clients'
        ? `${host}’s certificate chain is incomplete`
        : `${host}’s certificate chain is broken`;
    case 'changed':
      return `${host}’s certificate changed unexpectedly`;
    case 'replacement_wanted':
      return `${host}: the authority wants the certificate replaced`;
    case 'not_deployed':
      return `${host} still serves the old certificate`;
    case 'refused_from':
      return refusalTitle(alert);
    case 'renewal_fails':
      return renewalTitle(alert);
    case 'registration':
      return registrationTitle(alert);
    case 'down':
      return step === 'flapping'
        ? `${host} ${verb} flapping: down 3 times in 6 hours`
        : `${host} ${verb} down`;
    default:
      return `Test message from ${host}`;
  }
}

const dayIn = (timeZone: string | null, at: number): string =>
  timeZone === null ? longInstant(at) : longDate(at, knownZone(timeZone));

function expiryTitle({ step, facts, displayName, now, timeZone }: AlertTitleInput): string {
  const { certificate } = facts;
  const isLeaf = certificate?.role !== 'intermediate';
  const what = isLeaf ? displayName : `${displayName}: an intermediate certificate`;
  if (certificate === null) return `${what} expires soon`;
  const { notAfter } = certificate;
  if (now >= notAfter) return `${what} expired on ${dayIn(timeZone, notAfter)}`;
  const expires = `${what} expires in ${duration(notAfter - now)}`;
  return step === 'renewal_overdue' ? `${expires}, renewal overdue` : expires;
}

function registrationTitle({ facts, displayName, now, timeZone }: AlertTitleInput): string {
  const { domain, expiresAt } = facts.registration ?? { domain: displayName, expiresAt: now };
  return now < expiresAt
    ? `The registration of ${domain} ends in ${duration(expiresAt - now)}`
    : `The registration of ${domain} ended on ${dayIn(timeZone, expiresAt)}`;
}

function renewalTitle({ facts, displayName: host, now }: AlertTitleInput): string {
  const { expectedAt } = facts.renewal ?? { expectedAt: now };
  const when = now < expectedAt ? ` in ${duration(expectedAt - now)}` : '';
  return `${host}’s certificate renewal${when} will fail`;
}

/** Names up to three clients, and counts more. */
const whoRefuses = (clients: readonly Client[]): string =>
  clients.length > 3 ? count(clients.length, 'client') : clientNames(clients);

function refusalTitle({ facts, displayName: host, now, timeZone }: AlertTitleInput): string {
  const { from, clients } = facts.refusal ?? { from: now, clients: [] };
  const who = clients.length === 0 ? 'Clients' : whoRefuses(clients);
  if (now < from) return `${who} will refuse ${host}’s certificate in ${duration(from - now)}`;
  const refuse = clients.length === 1 ? 'refuses' : 'refuse';
  return `${who} ${refuse} ${host}’s certificate since ${dayIn(timeZone, from)}`;
}

function resolvedTitle(alert: AlertTitleInput): string {
  const { kind, facts, displayName: host, isPlural = false } = alert;
  const { certificate, successor } = facts;
  switch (kind) {
    case 'down':
      return `${host} ${isPlural ? 'are' : 'is'} up again`;
    case 'not_deployed':
      return `${host} serves the renewed certificate`;
    case 'refused_from':
      return certificate !== null && successor?.fingerprint === certificate.fingerprint
        ? `${host}’s certificate will not be refused any more`
        : `${host}’s certificate was replaced`;
    case 'renewal_fails':
      if (facts.renewal === undefined)
        return `${host}: renewals of the certificate are not forecast any more`;
      return certificate !== null && successor?.fingerprint === certificate.fingerprint
        ? `${host}: a problem with the next certificate renewal is solved`
        : `${host}’s certificate was renewed`;
    case 'registration':
      return `The registration of ${facts.registration?.domain ?? host} was renewed`;
    case 'wrong_name':
      return `${host} serves a certificate for its own name again`;
    case 'chain_broken':
      return `${host}’s certificate chain is fixed`;
    case 'revoked':
      return isIntermediate(alert)
        ? `${host}: the revoked intermediate certificate was replaced`
        : `${host}’s revoked certificate was replaced`;
    case 'replacement_wanted':
      return certificate !== null && successor?.fingerprint === certificate.fingerprint
        ? `${host}: the authority no longer wants the certificate replaced`
        : `${host}’s certificate was replaced, as its authority wanted`;
    default: {
      if (isIntermediate(alert)) return `${host}: the chain was renewed`;
      const lastsLonger = successor === null || successor.notAfter > (certificate?.notAfter ?? 0);
      return lastsLonger ? `${host}’s certificate was renewed` : `${host}’s certificate was replaced`;
    }
  }
}

function isIntermediate({ facts }: AlertTitleInput): boolean {
  return facts.certificate?.role === 'intermediate';
}
