import { validityFailure } from '../../pki/certificate-checks.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { matchesReference, type ReferenceIdentifier } from '../../pki/names/reference-identifier.ts';
import type { TrustStore } from '../../pki/trust-store.ts';
import { type Client, CLIENTS, WRONG_NAME } from '../../../contract/check-words.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { count } from '../../../contract/words.ts';
import { unicodeName } from '../endpoint.ts';
import { connectsTo, severityOf } from '../judge/clients/client-rule.ts';
import { coversWithTrailingDot } from '../judge/clients/name-rules.ts';
import { longInstant } from '../long-date.ts';
import { oneLine } from '../one-line.ts';
import { unreadableCertificate } from '../report/reach-words.ts';
import { inspect } from '../report/reproduce.ts';
import type { RuleOf } from '../rules/dated-rule.ts';
import { rulesOf } from '../rules/dated-rules.ts';
import { type Infer, list, nullable, number, object, optional, text } from '../shape.ts';
import { type Definition, type FoundIn, kind, type Severity, type Words } from './definition.ts';

const unverifiedLeaf = object({
  subject: nullable(text),
  issuer: nullable(text),
  notBefore: nullable(number),
  notAfter: nullable(number),
  /** The first names. */
  names: list(text),
});
/** Values that can be read from a malformed certificate. None of them is verified. Instants in ms UTC. */
export type UnverifiedLeaf = Infer<typeof unverifiedLeaf>;

/** Minutes until the certificate is valid, rounded up; absent if more than five. */
export const minutesUntilValid = { minutes: optional(number) };

const otherNames = object({
  /** The first names of the certificate. */
  names: list(text),
  /** How many names it has. */
  total: number,
  /** Name that the certificate must be valid for, if the target names another one than the host. */
  expected: optional(text),
});

/** Clients that refuse a server if any certificate that it sends cannot be decoded (measured for Go and Java; gnutls_x509_crt_import in GnuTLS). */
const READING_ALL: readonly Client[] = ['go', 'java', 'gnutls'];

/** Findings about the dates and names of a leaf, and about certificates that cannot be read. */
export const LEAF_FINDINGS = {
  expired: {
    kinds: {
      expired: kind(
        object({ notAfter: number, evidence: object({ notBefore: number }) }),
        ({ notAfter, evidence }) => ({
          message: `The certificate expired on ${longInstant(notAfter)}.`,
          evidence: validity(evidence.notBefore, notAfter),
        }),
      ),
    },
    fix: 'Renew the certificate, install it and reload the server. If renewal is automatic, find out why it stopped.',
    command: inspect('-noout -dates'),
    problem: null,
    isReasonToReplace: true,
  },
  not_yet_valid: {
    kinds: {
      not_yet_valid: kind(
        object({ notBefore: number, ...minutesUntilValid, evidence: object({ notAfter: number }) }),
        (facts) => ({
          message: `The certificate ${notYetValid(facts)}`,
          evidence: validity(facts.notBefore, facts.evidence.notAfter),
        }),
        { fix: adviceToWait },
      ),
    },
    fix: 'Install a certificate that is valid now, or wait. If the date is wrong, have it reissued.',
    command: inspect('-noout -dates'),
    short: 'Not valid yet',
    isReasonToReplace: true,
  },
  name_mismatch: {
    kinds: {
      other_names: kind(otherNames, otherNamesWords, {
        fix: ({ expected = '' }) => (expected === '' ? undefined : coveringFix(unicodeName(expected))),
      }),
    },
    fix: ({ host }) => coveringFix(hostIn(host)),
    command: inspect('-noout -subject -ext subjectAltName'),
    short: WRONG_NAME,
    problem: 'wrong_name',
    isReasonToReplace: true,
  },
  lifetime_too_long: {
    kinds: {
      long_lifetime: kind(
        object({ notBefore: number, days: number, mostDays: number }),
        ({ days, mostDays, notBefore }) => ({
          message: `The certificate is valid for ${count(days, 'day')}. Browsers accept at most ${count(mostDays, 'day')} for public certificates issued on ${longInstant(notBefore)}.`,
          evidence: [
            { label: 'Validity', value: count(days, 'day') },
            { label: 'Maximum allowed', value: count(mostDays, 'day') },
          ],
        }),
      ),
    },
    fix: 'Have the certificate reissued with a shorter lifetime.',
    command: inspect('-noout -dates'),
    short: 'Valid for longer than browsers allow',
    isReasonToReplace: true,
    refusedBy: ['chromium', 'apple'],
  },
  malformed_certificate: {
    kinds: {
      unreadable_leaf: kind(
        /** `evidence`: what can still be read; null if nothing, absent in findings of older versions. */
        object({ evidence: optional(nullable(unverifiedLeaf)) }),
        ({ evidence = null }, { host }) => ({
          message: unreadableCertificate(host),
          evidence: unverified(evidence),
        }),
      ),
      unreadable_companion: kind(object({}), () => ({
        message: 'The server sends an additional certificate that cannot be read.',
        evidence: [],
      })),
    },
    fix: ({ severity }) =>
      severity === 'warning'
        ? 'Remove everything that is not a certificate from the file that your server sends.'
        : 'Install the certificate file again. If that does not help, have the certificate reissued.',
    short: 'The certificate is malformed',
    isReasonToReplace: true,
  },
} satisfies Readonly<Record<string, Definition>>;

type LeafFinding = FoundIn<typeof LEAF_FINDINGS>;

/** Advises to wait for a certificate that becomes valid within minutes. */
export function adviceToWait(facts: { minutes?: number }): string | undefined {
  return facts.minutes === undefined
    ? undefined
    : 'Wait until then. If each new certificate shows this, your authority’s clock is fast, or ours is slow.';
}

/** Returns the host in a display name such as "shop.example:8443 via 10.0.0.7": a certificate covers a host, whatever the port. */
const hostIn = (displayName: string): string => (displayName.split(' ')[0] ?? '').replace(/:\d+$/, '');

function coveringFix(host: string): string {
  return `Get a certificate that covers ${host}, or configure the server to use the right one for this name.`;
}

/** Returns the end of a sentence about a certificate that is not valid yet. */
export function notYetValid({ notBefore, minutes }: { notBefore: number; minutes?: number }): string {
  return minutes === undefined
    ? `is not valid before ${longInstant(notBefore)}.`
    : `is not valid for ${count(minutes, 'more minute')}. Clients refuse it until then, unless our clock is slow.`;
}

/** Labels each value as not verified. */
function unverified(read: UnverifiedLeaf | null): Words['evidence'] {
  if (read === null) return [];
  const { subject, issuer, notBefore, notAfter, names } = read;
  const rows = [
    { label: 'Subject', value: subject },
    { label: 'Issuer', value: issuer },
    { label: 'Valid from', value: notBefore === null ? null : longInstant(notBefore) },
    { label: 'Valid until', value: notAfter === null ? null : longInstant(notAfter) },
    { label: 'Names', value: names.length === 0 ? null : names.join(', ') },
  ];
  return rows.flatMap(({ label, value }) =>
    value === null || value === '' ? [] : [{ label: `${label}, not verified`, value }],
  );
}

function validity(notBefore: number, notAfter: number): Words['evidence'] {
  return [
    { label: 'Valid from', value: longInstant(notBefore) },
    { label: 'Valid until', value: longInstant(notAfter) },
  ];
}

/** Returns the first names of a certificate and the number of further ones; 'none' if it has no names. */
export function listOfNames({ names, total }: { names: readonly string[]; total: number }): string {
  const more = total - names.length;
  return total === 0 ? 'none' : names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function otherNamesWords(
  { names, total, expected = '' }: Infer<typeof otherNames>,
  shown: { host: string },
): Words {
  const host = expected === '' ? hostIn(shown.host) : unicodeName(expected);
  const listed = listOfNames({ names, total });
  return {
    message:
      total === 0
        ? `The certificate names no host, so it does not cover ${host}.`
        : `The certificate does not cover ${host}. It is for ${listed}.`,
    evidence: [
      { label: 'Expected name', value: host },
      { label: 'Subject alternative names', value: listed },
    ],
  };
}

/** Reports a certificate after the leaf that cannot be read. */
export const unreadableSentCertificate = (): LeafFinding => ({
  code: 'malformed_certificate',
  severity: 'warning',
  fingerprint: null,
  facts: { kind: 'unreadable_companion' },
  clients: READING_ALL,
  fixedByChain: true,
});

/** If a certificate becomes valid within this time, the finding is only a warning, because our clock may be slow. */
export const SOON_MS = 5 * MINUTE_MS;

/** Reports a leaf that is not valid yet. */
function earlyLeaf(leaf: Certificate, protocol: Protocol, now: number): LeafFinding {
  const { fingerprint, notBefore, notAfter } = leaf;
  const { minutesUntilValid, ...severityAndClients } = notYetValidSeverity(leaf, protocol, now);
  const facts = { kind: 'not_yet_valid' as const, notBefore, ...minutesUntilValid, evidence: { notAfter } };
  return { code: 'not_yet_valid', fingerprint, facts, ...severityAndClients };
}

/**
 * Returns the severity of the fault and, if it is a warning, the clients that refuse the certificate until it is valid, and the minutes until
 * then.
 */
export function notYetValidSeverity(
  { notBefore }: Certificate,
  protocol: Protocol,
  now: number,
): { severity: Severity; clients?: Client[]; minutesUntilValid?: { minutes: number } } {
  const waitMs = notBefore - now;
  if (waitMs > SOON_MS) return { severity: 'critical' };
  const minutesUntilValid = { minutes: Math.ceil(waitMs / MINUTE_MS) };
  return { severity: 'warning', clients: CLIENTS.filter(connectsTo(protocol)), minutesUntilValid };
}

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
export function leafFindings(leaf: Certificate, question: LeafQuestion): LeafFinding[] {
  const { reference, verifyName } = question;
  return [...validityFindings(leaf, question), ...nameFindings(leaf, reference, verifyName)];
}

function validityFindings(
  leaf: Certificate,
  { protocol, trustStore, now }: Pick<LeafQuestion, 'protocol' | 'trustStore' | 'now'>,
): LeafFinding[] {
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

function nameFindings(leaf: Certificate, reference: ReferenceIdentifier, expected?: string): LeafFinding[] {
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
export function lifetimeFindings(leaf: Certificate, protocol: Protocol): LeafFinding[] {
  const exceeded = exceededLifetimeCap(leaf);
  if (exceeded === null) return [];
  const { fingerprint, notBefore } = leaf;
  const { maxDays: mostDays, clients } = exceeded;
  const facts = { kind: 'long_lifetime' as const, notBefore, days: validityDays(leaf), mostDays };
  return [{ code: 'lifetime_too_long', severity: severityOf(clients, protocol), fingerprint, facts }];
}

const CAPS = rulesOf('max_lifetime').toReversed();

/**
 * Returns the rule that limits the validity of a public certificate, by its notBefore, if the certificate exceeds it, else null. Both ends
 * count (RFC 5280 §4.1.2.5), and any part of a day is a day.
 */
export function exceededLifetimeCap(certificate: {
  notBefore: number;
  notAfter: number;
}): RuleOf<'max_lifetime'> | null {
  const cap = CAPS.find(({ start }) => certificate.notBefore >= start);
  return cap !== undefined && validityDays(certificate) > cap.maxDays ? cap : null;
}

/** Returns the validity in days, counting any part of a day as a whole one. */
export function validityDays({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return Math.ceil((notAfter - notBefore + 1_000) / DAY_MS);
}
