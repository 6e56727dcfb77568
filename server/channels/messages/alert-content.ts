import { alertTitle } from '../../core/alerting/alert-title.ts';
import { type AlertCertificate, alertEvent, type RegistrationEnd } from '../../core/alerting/alert.ts';
import { knownZone } from '../../core/alerting/local-time.ts';
import { displayName } from '../../core/endpoint.ts';
import { oneLine, truncatedLine } from '../../core/one-line.ts';
import {
  alertCertificateFacts,
  type AlertContent,
  type AlertGroup,
  type AlertMessageInput,
  type AlertWords,
  type DomainAlertInput,
  type DomainOutage,
} from './alert-input.ts';
import { expiryWords, registrationWords } from './expiry-words.ts';
import { changedWords, faultWords } from './fault-words.ts';
import { goodNewsWords } from './good-news-words.ts';
import { revokedWords } from './revoked-words.ts';
import { uptimeWords } from './uptime-words.ts';
import { CLIENT_NAMES } from '../../../contract/check-words.ts';
import { formatInstant } from '../../../contract/time-zone.ts';
import { count } from '../../../contract/words.ts';

/** Returns the words and data of an alert. @throws TypeError if its kind is unknown or its certificate is missing. */
export function alertContent(given: AlertMessageInput): AlertContent {
  const { alert, monitor, group, now, productName } = given;
  const { kind, step, severity, incidentId, facts } = alert;
  const timeZone = knownZone(given.timeZone);
  const { name, others } = monitor === null ? { name: productName, others: '' } : nameOf(given, monitor);
  const host = `${name}${others}`;
  const words =
    monitor === null || kind === 'test'
      ? testWords({ ...given, timeZone })
      : wordsOf({ ...given, monitor, timeZone, host });
  const hosts = group?.domains.length ?? 1;
  const isPlural = kind === 'down' && hosts > 1;
  const title = alertTitle({ kind, step, facts, displayName: host, isPlural, now, timeZone });
  const content: Omit<AlertContent, 'data'> = {
    ...words,
    heading: withoutOthers(words.heading, others),
    event: alertEvent(kind, step),
    severity,
    subject: hosts > 1 && kind !== 'registration' && !isPlural ? `${title} (${count(hosts, 'host')})` : title,
    button: buttonOf(given, isPlural),
    alertedAt: given.alertedAt,
    incidentId,
    resolves: step === 'resolved',
  };
  return { ...content, data: alertData(given, content, isPlural) };
}

/**
 * Returns the link to the domain, to the certificate that several domains serve, or to the list of domains that need attention.
 */
function buttonOf(given: AlertMessageInput, isAboutOutages: boolean): AlertContent['button'] {
  const { alert, monitor, publicUrl } = given;
  const { kind, step } = alert;
  if (kind === 'test') return { label: 'Show your domains', url: domainUrl(null, publicUrl) };
  if (isAboutOutages) {
    const url = new URL('/dashboard', publicUrl);
    if (step === 'opened') url.searchParams.set('status', 'attention');
    return { label: 'Show your domains', url: url.href };
  }
  const url = isOnePage(given) ? certificateUrl(given) : domainUrl(monitor, publicUrl);
  const isAboutHost = kind === 'down' || kind === 'registration';
  return { label: isAboutHost ? 'Show details' : 'Show certificate details', url };
}

/**
 * Returns the name for the heading: the registered domain if its registration expires, the certificate if several domains serve
 * it, else the domain. `others` follows the name of a domain that stands for several: ' and 2 other hosts' or ' and others'.
 */
function nameOf(
  { alert, group }: AlertMessageInput,
  monitor: DomainAlertInput['monitor'],
): { name: string; others: string } {
  const { certificate, registration, successor } = alert.facts;
  const own = displayName(monitor);
  if (registration !== undefined) return { name: registration.domain, others: '' };
  const isShared = group !== null && group.domains.length > 1 && alert.kind !== 'changed';
  if (!isShared) return { name: own, others: '' };
  if (alert.kind === 'down')
    return { name: own, others: ` and ${count(group.domains.length - 1, 'other host')}` };
  const named = certificate ?? successor;
  const name = named?.role === 'leaf' ? oneLine(named.name) : '';
  return name === '' ? { name: own, others: ' and others' } : { name, others: '' };
}

/** Moves the words about other hosts out of the monospace part of a heading. */
function withoutOthers(heading: AlertContent['heading'], others: string): AlertContent['heading'] {
  if (typeof heading === 'string' || others === '' || !heading.host.endsWith(others)) return heading;
  const { before, host, after } = heading;
  return { before, host: host.slice(0, -others.length), after: `${others}${after}` };
}

/** Returns whether the page of the alert’s certificate shows all domains that the alert concerns. */
const isOnePage = ({ alert, group }: AlertMessageInput): boolean =>
  group !== null &&
  alert.facts.certificate?.role === 'leaf' &&
  alert.kind !== 'changed' &&
  alert.step !== 'resolved';

function certificateUrl({ alert, publicUrl }: AlertMessageInput): string {
  const url = new URL('/certificates', publicUrl);
  url.searchParams.set('certificate', alert.facts.certificate?.fingerprint ?? '');
  return url.href;
}

function domainUrl(domain: { id: string } | null, publicUrl: URL): string {
  const url = new URL('/dashboard', publicUrl);
  if (domain !== null) url.searchParams.set('domain', domain.id);
  return url.href;
}

function wordsOf(input: DomainAlertInput): AlertWords {
  const { kind, step } = input.alert;
  if (kind === 'down') return uptimeWords(input);
  if (step === 'resolved') return goodNewsWords(input);
  switch (kind) {
    case 'expiry':
      return expiryWords(input);
    case 'revoked':
      return revokedWords(input);
    case 'registration':
      return registrationWords(input);
    case 'changed':
      return changedWords(input);
    case 'chain_broken':
      return faultWords(input, step === 'some_clients' ? 'chain_incomplete' : kind);
    case 'wrong_name':
    case 'replacement_wanted':
    case 'not_deployed':
    case 'refused_from':
    case 'renewal_fails':
      return faultWords(input, kind);
    default:
      throw new TypeError(`Unknown kind of alert: ${kind}`);
  }
}

/** Returns the words of a test message. */
function testWords({
  alertedAt,
  productName,
  publicUrl,
  timeZone,
}: AlertMessageInput & { timeZone: string }): AlertWords {
  return {
    badge: { tone: 'ok', text: 'Test' },
    preheader: 'Nothing is wrong. Alerts about your domains will arrive here.',
    heading: 'Your test message arrived.',
    paragraphs: [
      `There is nothing to do. Somebody tested this channel in ${productName}. Alerts will arrive here just like this.`,
    ],
    facts: [
      { label: 'Sent by', value: publicUrl.host, mono: true },
      { label: 'Requested', value: formatInstant(alertedAt, timeZone) },
    ],
    schedule: 'We send a test only when somebody requests it.',
  };
}

const MAX_TEXT_LENGTH = 600;
const MAX_DOMAINS = 100;

/** Returns the data of an alert for programs. Its names and sentences contain untrusted text, but no line breaks. */
function alertData(
  input: AlertMessageInput,
  { heading, severity }: Pick<AlertContent, 'heading' | 'severity'>,
  isAboutOutages: boolean,
): Record<string, unknown> {
  const { alert, monitor, group, waiting = [], publicUrl } = input;
  const { facts, kind, step, incidentId } = alert;
  const domains = group?.domains ?? (monitor === null ? [] : [monitor]);
  const domainData = (domain: AlertGroup['domains'][number]) => ({
    id: domain.id,
    display_name: displayName(domain),
    hostname: domain.host,
    port: domain.port,
    url: domainUrl(domain, publicUrl),
    ...(kind === 'down' && outageData(domain.outage ?? { incidentId, ...facts })),
    ...(kind === 'not_deployed' && {
      waiting_addresses: waiting.find((one) => one.id === domain.id)?.addresses ?? [],
    }),
  });
  const sentence = typeof heading === 'string' ? heading : `${heading.before}${heading.host}${heading.after}`;
  return {
    domain: monitor === null ? null : domainData(monitor),
    domains: domains.slice(0, MAX_DOMAINS).map(domainData),
    domain_count: domains.length,
    certificate: facts.certificate && certificateData(facts.certificate, input),
    successor: facts.successor && certificateData(facts.successor, input),
    registration: facts.registration === undefined ? null : registrationData(facts.registration),
    refusal:
      facts.refusal === undefined
        ? null
        : { from: iso(facts.refusal.from), clients: facts.refusal.clients.map((one) => CLIENT_NAMES[one]) },
    renewal:
      facts.renewal === undefined
        ? null
        : { expected_at: iso(facts.renewal.expectedAt), zone_record: facts.renewal.zoneRecord },
    incident: incidentId === null ? null : incidentData(kind, { incidentId, ...facts }),
    step,
    severity,
    as_of: iso(facts.asOf),
    message: truncatedLine(isAboutOutages ? sentence : (facts.message ?? sentence), MAX_TEXT_LENGTH),
    fix: facts.fix === null ? null : truncatedLine(facts.fix, MAX_TEXT_LENGTH),
  };
}

function incidentData(
  problem: AlertMessageInput['alert']['kind'],
  { incidentId, startedAt, endedAt }: Omit<DomainOutage, 'message'>,
): Record<string, unknown> {
  return {
    id: incidentId,
    problem,
    started_at: iso(startedAt),
    ended_at: endedAt === null ? null : iso(endedAt),
  };
}

function outageData(outage: DomainOutage): Record<string, unknown> {
  return {
    incident: incidentData('down', outage),
    message: truncatedLine(outage.message ?? '', MAX_TEXT_LENGTH),
  };
}

function certificateData(
  { fingerprint, name, role, notBefore, notAfter }: AlertCertificate,
  input: AlertMessageInput,
): Record<string, unknown> {
  const facts = alertCertificateFacts(input);
  const known = facts?.fingerprint === fingerprint ? facts : null;
  return {
    name: truncatedLine(name, MAX_TEXT_LENGTH),
    role,
    fingerprint,
    serial_number: known?.serialNumber ?? null,
    issuer: known === null ? null : truncatedLine(known.issuer, MAX_TEXT_LENGTH),
    not_before: iso(notBefore),
    not_after: iso(notAfter),
  };
}

function registrationData({ domain, expiresAt, registrar }: RegistrationEnd): Record<string, unknown> {
  return {
    domain,
    expires_at: iso(expiresAt),
    registrar: registrar === null ? null : truncatedLine(registrar, MAX_TEXT_LENGTH),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
