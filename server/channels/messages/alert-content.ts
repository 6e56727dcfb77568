import { alertEvent, alertTitle, displayName, knownZone } from '../../core/index.ts';
import { alertData } from './alert-data.ts';
import type { AboutMonitor, AlertContent, AlertMessageInput, Words } from './alert-input.ts';
import { expiryWords } from './expiry-words.ts';
import { changedWords, faultWords } from './fault-words.ts';
import { goodNewsWords } from './good-news-words.ts';
import { revokedWords } from './revoked-words.ts';
import { testWords } from './test-words.ts';
import { uptimeWords } from './uptime-words.ts';

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
