import {
  type Certificate,
  matchesReference,
  type ReferenceIdentifier,
  type TrustStore,
  validityFailure,
} from '../../pki/index.ts';
import { CLIENTS } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import type { ChainFinding } from '../finding.ts';
import { connectsTo, severityOf } from './clients/client-rule.ts';
import { LIMITING_LIFETIMES } from './clients/refusals.ts';
import { coversWithTrailingDot } from './clients/name-rules.ts';
import { earlyLeaf } from './not-yet-valid.ts';
import { oneLine } from '../one-line.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Number of names that a finding keeps. */
export const NAMES_KEPT = 3;

interface LeafQuestion {
  reference: ReferenceIdentifier;
  /** Name to verify, for findings; absent if it is the host. */
  verifyName?: string;
  protocol: Protocol;
  trustStore: TrustStore;
  now: number;
}

/** Returns the findings about the dates and names of a leaf, which do not depend on its issuer. */
export function leafFindings(leaf: Certificate, question: LeafQuestion): ChainFinding[] {
  const { reference, verifyName } = question;
  return [...validityFindings(leaf, question), ...nameFindings(leaf, reference, verifyName)];
}

function validityFindings(
  leaf: Certificate,
  { protocol, trustStore, now }: Pick<LeafQuestion, 'protocol' | 'trustStore' | 'now'>,
): ChainFinding[] {
  const { fingerprint, notBefore, notAfter } = leaf;
  const failure = validityFailure(leaf, now);
  if (failure === null) return [];
  // Measured: Java does not check the dates of a certificate that it trusts itself (engineValidate in PKIXValidator.java).
  const limited = trustStore.has(fingerprint) && {
    clients: CLIENTS.filter((client) => client !== 'java' && connectsTo(protocol)(client)),
  };
  if (failure === 'not_yet_valid') return [{ ...earlyLeaf(leaf, protocol, now), ...limited }];
  const facts = { kind: 'expired' as const, notAfter, evidence: { notBefore } };
  return [{ code: 'expired', severity: 'critical', fingerprint, facts, ...limited }];
}

function nameFindings(leaf: Certificate, reference: ReferenceIdentifier, expected?: string): ChainFinding[] {
  if (matchesReference(leaf, reference) || coversWithTrailingDot({ certificate: leaf, reference })) return [];
  const facts = {
    kind: 'other_names' as const,
    ...firstNames(leaf),
    ...(expected !== undefined && { expected }),
  };
  return [{ code: 'name_mismatch', severity: 'critical', fingerprint: leaf.fingerprint, facts }];
}

/** Returns the first names of a certificate, for sentences, and how many it has. */
export function firstNames({ subjectAltNames }: Certificate): { names: string[]; total: number } {
  const all = [...subjectAltNames.dnsNames, ...subjectAltNames.ipAddresses];
  return { names: all.slice(0, NAMES_KEPT).map(oneLine), total: all.length };
}

/**
 * Reports a lifetime above the limit of the Baseline Requirements. Call it only for leaves of public authorities, because the
 * limit does not bind private ones.
 */
export function lifetimeFindings(leaf: Certificate, protocol: Protocol): ChainFinding[] {
  const mostDays = exceededLifetimeCap(leaf);
  if (mostDays === null) return [];
  const { fingerprint, notBefore } = leaf;
  const facts = { kind: 'long_lifetime' as const, notBefore, days: validityDays(leaf), mostDays };
  const severity = severityOf(LIMITING_LIFETIMES, protocol);
  return [{ code: 'lifetime_too_long', severity, fingerprint, facts }];
}

/** The longest validity of a certificate, by its notBefore: Baseline Requirements §6.3.2 (ballots 193, SC-031, SC-081v3). */
const CAPS: readonly { from: number; days: number }[] = [
  { from: Date.UTC(2029, 2, 15), days: 47 },
  { from: Date.UTC(2027, 2, 15), days: 100 },
  { from: Date.UTC(2026, 2, 15), days: 200 },
  { from: Date.UTC(2020, 8, 1), days: 398 },
  { from: Date.UTC(2018, 2, 1), days: 825 },
];

/**
 * Returns the validity limit in days for the notBefore of a public certificate that exceeds it, else null. Both ends count
 * (RFC 5280 §4.1.2.5), and any part of a day is a day.
 */
export function exceededLifetimeCap(certificate: { notBefore: number; notAfter: number }): number | null {
  const cap = CAPS.find(({ from }) => certificate.notBefore >= from);
  return cap !== undefined && validityDays(certificate) > cap.days ? cap.days : null;
}

/** Returns the validity in days, counting any part of a day as a whole one. */
function validityDays({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return Math.ceil((notAfter - notBefore + 1_000) / DAY_MS);
}
