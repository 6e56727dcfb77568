import type { Certificate } from '../../pki/index.ts';
import type { Answer } from './answers.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding } from './chain-finding.ts';
import { earliest } from './expiring.ts';
import { longDate, longInstant } from '../long-date.ts';
import type { FailedObservation, Observation, ReachFailure } from '../observation.ts';
import { whatHappened } from '../reach-failure.ts';

/** A finding with the addresses that show it. */
export interface Shown {
  finding: ChainFinding;
  addresses: string[];
}

/** What only shows when the addresses of a host are looked at side by side. */
export function addressFindings(observation: Observation, answers: readonly Answer[]): Shown[] {
  const read = answers.flatMap(({ judged: { leaf }, seen: { address } }) =>
    leaf === null ? [] : [{ leaf, address }],
  );
  return [
    ...differingCertificates(read),
    ...legacyFindings(answers),
    ...(read.length === 0 ? [] : unreachableFindings(observation)),
  ];
}

function differingCertificates(read: readonly { leaf: Certificate; address: string }[]): Shown[] {
  const older = earliest(read.map(({ leaf }) => leaf));
  const byLeaf = Map.groupBy(read, ({ leaf }) => leaf.fingerprint);
  if (older === null || byLeaf.size < 2) return [];
  const behind = read.filter(({ leaf }) => leaf.fingerprint === older.fingerprint);
  const others = read.filter(({ leaf }) => leaf.fingerprint !== older.fingerprint);
  const isOne = behind.length === 1;
  const share = `${behind.length} of ${read.length} addresses`;
  const date = longDate(older.notAfter, 'UTC');
  const isReplaced = others.every(({ leaf }) => isReplacedBy(older, leaf));
  const message = isReplaced
    ? `${share} still ${isOne ? 'serves' : 'serve'} the old certificate, which expires on ${date}.`
    : others.some(({ leaf }) => leaf.notAfter > older.notAfter)
      ? `${share} ${isOne ? 'shows' : 'show'} a certificate that expires earlier than elsewhere, on ${date}.`
      : `${read.length} addresses show ${byLeaf.size} different certificates.`;
  const evidence = [...byLeaf.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { leaf } = first;
    return [
      { label: 'Certificate', value: certificateName(leaf) },
      { label: 'Serial number', value: leaf.serialNumber },
      { label: 'Valid until', value: longInstant(leaf.notAfter) },
      { label: 'At', value: group.map(({ address }) => address).join(', ') },
    ];
  });
  return [
    {
      finding: {
        code: 'certificates_differ',
        severity: 'warning',
        message,
        fingerprint: older.fingerprint,
        evidence,
      },
      addresses: behind.map(({ address }) => address),
    },
  ];
}

/** The other is for the same names and lasts longer: what a renewal brings. */
export function isReplacedBy(older: Certificate, other: Certificate): boolean {
  return other.notAfter > older.notAfter && hasSameNames(other, older);
}

function hasSameNames(left: Certificate, right: Certificate): boolean {
  return namesKey(left) === namesKey(right);
}

/** As many as are stored: certificates with more are compared by the first of them. */
const MOST_COMPARED = 2_000;
const namesKeys = new WeakMap<Certificate, string>();

/** Made once for each certificate: with twenty addresses it is compared with up to nineteen others. */
function namesKey(certificate: Certificate): string {
  let key = namesKeys.get(certificate);
  if (key === undefined) {
    const { dnsNames, ipAddresses } = certificate.subjectAltNames;
    const names = [...dnsNames, ...ipAddresses].slice(0, MOST_COMPARED);
    key = [...new Set(names.map((name) => name.toLowerCase()))].toSorted().join('\n');
    namesKeys.set(certificate, key);
  }
  return key;
}

function legacyFindings(answers: readonly Answer[]): Shown[] {
  const legacy = answers.filter(({ seen }) => seen.legacyTls).map(({ seen }) => seen);
  const [first] = legacy;
  if (first === undefined) return [];
  return [
    {
      finding: {
        code: 'legacy_tls',
        severity: 'warning',
        message: `The server needs outdated encryption (${first.tlsVersion}), which browsers refuse.`,
        fingerprint: null,
        evidence: [
          { label: 'TLS version', value: first.tlsVersion },
          { label: 'Cipher', value: first.cipher },
        ],
      },
      addresses: legacy.map(({ address }) => address),
    },
  ];
}

/** Addresses that failed beside others that answered. What our own side lacks is no finding about the host. */
function unreachableFindings(observation: Observation): Shown[] {
  const failed = observation.addresses.filter(
    (one): one is FailedObservation => one.outcome === 'failed' && one.reason !== 'no_route_here',
  );
  const byReason = Map.groupBy(failed, ({ reason }): ReachFailure => reason);
  return [...byReason].map(([reason, addresses]) => ({
    finding: {
      code: 'address_unreachable',
      severity: 'warning',
      message: `${addresses.length} of ${observation.addresses.length} addresses could not be checked: it ${whatHappened(reason)}.`,
      fingerprint: null,
      evidence: addresses.map(({ address, stage, durationMs }) => ({
        label: address,
        value: `failed at ${stage} after ${Math.round(durationMs)} ms`,
      })),
    },
    addresses: addresses.map(({ address }) => address),
  }));
}
