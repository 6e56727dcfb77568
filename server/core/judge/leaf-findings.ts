import type { Certificate, Reference } from '../../pki/index.ts';
import { matchesReference, validityFailure } from '../../pki/index.ts';
import type { ChainFinding } from './chain-finding.ts';
import { exceededLifetimeCap, validityDays } from './lifetime-cap.ts';
import { longDate, longInstant } from '../long-date.ts';
import { oneLine } from '../one-line.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** Clocks differ: a certificate that starts within this time is taken as valid. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;
const NAMES_SHOWN = 3;

/** What is wrong with a leaf whoever issued it: its time and its names. */
export function leafFindings(
  leaf: Certificate,
  { reference, host, now }: { reference: Reference; host: string; now: number },
): ChainFinding[] {
  return [...validityFindings(leaf, now), ...nameFindings(leaf, reference, host)];
}

function validityFindings(leaf: Certificate, now: number): ChainFinding[] {
  const { fingerprint } = leaf;
  const evidence = [
    { label: 'Valid from', value: longInstant(leaf.notBefore) },
    { label: 'Valid until', value: longInstant(leaf.notAfter) },
  ];
  if (validityFailure(leaf, now) === 'expired') {
    const message = `The certificate expired on ${longDate(leaf.notAfter, 'UTC')}.`;
    return [{ code: 'expired', severity: 'critical', message, fingerprint, evidence }];
  }
  if (validityFailure(leaf, now + CLOCK_SKEW_MS) === 'not_yet_valid') {
    const message = `The certificate is valid only from ${longDate(leaf.notBefore, 'UTC')} on.`;
    return [{ code: 'not_yet_valid', severity: 'critical', message, fingerprint, evidence }];
  }
  return [];
}

function nameFindings(leaf: Certificate, reference: Reference, host: string): ChainFinding[] {
  if (matchesReference(leaf, reference)) return [];
  const names = [...leaf.subjectAltNames.dnsNames, ...leaf.subjectAltNames.ipAddresses];
  const more = names.length - NAMES_SHOWN;
  const listed = names.slice(0, NAMES_SHOWN).map(oneLine).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const message =
    names.length === 0
      ? `The certificate names no host (it has no subject alternative names), so it does not cover ${host}.`
      : `The certificate does not cover ${host}; it is for ${listed}.`;
  const evidence = [
    { label: 'Asked for', value: host },
    { label: 'Subject alternative names', value: names.length === 0 ? 'none' : listed },
  ];
  return [{ code: 'name_mismatch', severity: 'critical', message, fingerprint: leaf.fingerprint, evidence }];
}

/** For leaves of public authorities only: what a private one issues binds nobody but itself. */
export function lifetimeFindings(leaf: Certificate): ChainFinding[] {
  const cap = exceededLifetimeCap(leaf);
  if (cap === null) return [];
  const days = validityDays(leaf);
  const issued = longDate(leaf.notBefore, 'UTC');
  return [
    {
      code: 'lifetime_too_long',
      severity: 'warning',
      message: `The certificate is valid for ${days} days; browsers accept ${cap} at most from a public authority on ${issued}.`,
      fingerprint: leaf.fingerprint,
      evidence: [
        { label: 'Validity', value: `${days} days` },
        { label: 'Most allowed (Baseline Requirements §6.3.2)', value: `${cap} days` },
      ],
    },
  ];
}
