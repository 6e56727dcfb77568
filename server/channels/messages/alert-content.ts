import {
  type AlertEvent,
  alertEvent,
  type AlertFacts,
  type AlertKind,
  type AlertSeverity,
  type AlertStep,
  alertTitle,
  type CertificateFacts,
  type ChosenStep,
  displayName,
  knownZone,
  type RevokedCertificate,
} from '../../core/index.ts';
import { alertData } from './alert-data.ts';
import { changedWords, faultWords } from './fault-words.ts';
import { expiryWords } from './expiry-words.ts';
import { goodNewsWords } from './good-news-words.ts';
import type { DrawnMail } from './mail-layout.ts';
import { revokedWords } from './revoked-words.ts';
import { testWords } from './test-words.ts';
import { uptimeWords } from './uptime-words.ts';

export interface AlertMessageInput {
  alert: {
    kind: AlertKind;
    step: AlertStep;
    severity: AlertSeverity;
    facts: AlertFacts;
    incidentId: string | null;
  };
  /** When the alert was decided. A certificate last seen well before that means: the host was unreachable then. */
  alertedAt: number;
  /** null: a test of the channel. */
  monitor: { id: string; host: string; port: number; lastCheckedAt: number | null } | null;
  /** Of the certificate that the alert is about; null where there is none, and where its facts are gone. */
  certificate: CertificateFacts | null;
  /** Of an alert about a revocation: who says so, when and why. */
  revoked: RevokedCertificate | null;
  /** The steps that hold for the domain; null: the product's own. */
  steps: readonly ChosenStep[] | null;
  now: number;
  productName: string;
  publicUrl: URL;
  /** IANA name: times are shown in it and in UTC. null: in UTC alone. */
  timeZone: string | null;
}

/** An alert in words and as data, for every channel to put into its own form; in the words of `now`: make it anew at every attempt. */
export interface AlertContent extends Words {
  event: AlertEvent;
  severity: AlertSeverity;
  /** One line. */
  subject: string;
  button: DrawnMail['button'];
  /** When it was decided, ms UTC. */
  alertedAt: number;
  /** Joins messages about one trouble; null for a test. */
  incidentId: string | null;
  /** What it says is that the trouble is over. */
  resolves: boolean;
  /** For programs: JSON with instants in ISO 8601 UTC, names in snake_case. No secrets. */
  data: Record<string, unknown>;
}

/** What the kind of an alert decides on. */
export interface Words extends Pick<DrawnMail, 'badge' | 'heading' | 'paragraphs' | 'bar' | 'facts'> {
  preheader: string;
  /** When people are told of such a thing, as a sentence. */
  schedule: string;
}

/** An alert that is no test, with what its words need over and over. */
export interface AboutMonitor extends AlertMessageInput {
  monitor: NonNullable<AlertMessageInput['monitor']>;
  timeZone: string;
  /** As people write it. */
  host: string;
}

/** @throws TypeError for an alert about nothing that is no test. */
export function alertContent(given: AlertMessageInput): AlertContent {
  const { alert, monitor, now, publicUrl, productName } = given;
  const { kind, step, severity, incidentId, facts } = alert;
  const timeZone = knownZone(given.timeZone);
  const host = monitor === null ? productName : displayName(monitor);
  const words =
    monitor === null || kind === 'test'
      ? testWords({ ...given, timeZone })
      : wordsOf({ ...given, monitor, timeZone, host });
  const url = new URL('/dashboard', publicUrl);
  if (monitor !== null) url.searchParams.set('domain', monitor.id);
  const label =
    kind === 'test' ? 'Show your domains' : kind === 'down' ? 'Show details' : 'Show certificate details';
  const content: Omit<AlertContent, 'data'> = {
    ...words,
    event: alertEvent(kind, step),
    severity,
    subject: alertTitle({ kind, step, facts, displayName: host, now, timeZone }),
    button: { label, url: url.href },
    alertedAt: given.alertedAt,
    incidentId,
    resolves: step === 'resolved',
  };
  return { ...content, data: alertData(given, content) };
}

function wordsOf(input: AboutMonitor): Words {
  const { kind, step } = input.alert;
  if (kind === 'down') return uptimeWords(input);
  if (step === 'resolved') return goodNewsWords(input);
  switch (kind) {
    case 'expiry':
      return expiryWords(input);
    case 'revoked':
      return revokedWords(input);
    case 'changed':
      return changedWords(input);
    case 'chain_broken':
      return faultWords(input, step === 'some_clients' ? 'chain_incomplete' : kind);
    case 'wrong_name':
    case 'replacement_wanted':
      return faultWords(input, kind);
    default:
      throw new TypeError(`Nobody knows what an alert of the kind ${kind} says.`);
  }
}

/** @throws TypeError where the alert is about no certificate. */
export function certificateOf({ alert }: AboutMonitor): NonNullable<AlertFacts['certificate']> {
  if (alert.facts.certificate === null)
    throw new TypeError(`An alert of the kind ${alert.kind} is about a certificate.`);
  return alert.facts.certificate;
}

/** What is known of that certificate; the facts at hand may be those of another one. */
export function issuedCertificate({ alert, certificate }: AlertMessageInput): CertificateFacts | null {
  return certificate?.fingerprint === alert.facts.certificate?.fingerprint ? certificate : null;
}
