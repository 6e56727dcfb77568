import { type Certificate, tryParseCertificate } from '../../pki/certificate.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import type { JudgedAddress } from './answers.ts';
import { severityOf } from './clients/client-rule.ts';
import { CLIENTS_OF_HTTP2_FAULT, clientsRefusingOldTls } from '../findings/protocol.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding, Finding } from '../finding.ts';
import { firstNames } from '../findings/leaf.ts';
import { earliest } from './renewal.ts';
import { addressLabel } from '../srv.ts';
import type { FailedObservation, Observation, PostureObservation, ReachFailure } from '../observation.ts';

/** A finding with the addresses that show it. */
export interface LocatedFinding {
  finding: ChainFinding;
  addresses: string[];
}

/**
 * Returns the findings about the addresses of a host at `now`: different certificates, legacy TLS, unusual reply codes, faults of HTTP/2,
 * and addresses that cannot be reached or were left out.
 */
export function addressFindings(
  observation: Observation,
  answers: readonly JudgedAddress[],
  now: number,
): LocatedFinding[] {
  const read = answers.flatMap(({ judged: { leaf }, seen }) =>
    leaf === null ? [] : [{ leaf, address: addressLabel(seen) }],
  );
  return [
    ...differingCertificates(read, now),
    ...legacyFindings(answers, observation.endpoint.protocol),
    ...codeFindings(observation),
    ...http2Findings(observation),
    ...(read.length === 0 ? [] : unreachableFindings(observation)),
    ...leftOutFindings(observation),
  ];
}

/** Returns a note if the name also has addresses that the policy refuses. The note has only their number. */
export function leftOutFindings({ resolution }: Observation): LocatedFinding[] {
  const count = resolution.ok ? (resolution.leftOut ?? 0) : 0;
  if (count === 0) return [];
  const facts = { kind: 'addresses_left_out' as const, count };
  return [
    { finding: { code: 'address_left_out', severity: 'note', fingerprint: null, facts }, addresses: [] },
  ];
}

function differingCertificates(
  read: readonly { leaf: Certificate; address: string }[],
  now: number,
): LocatedFinding[] {
  const leaves = read.map(({ leaf }) => leaf);
  const old = leaves.find((leaf) =>
    leaves.every((other) => other.fingerprint === leaf.fingerprint || isReplacedBy(leaf, other, now)),
  );
  const older = old ?? earliest(leaves);
  const byLeaf = Map.groupBy(read, ({ leaf }) => leaf.fingerprint);
  if (older === null || byLeaf.size < 2) return [];
  const behind = read.filter(({ leaf }) => leaf.fingerprint === older.fingerprint);
  const others = read.filter(({ leaf }) => leaf.fingerprint !== older.fingerprint);
  const evidence = [...byLeaf.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { leaf } = first;
    return [
      {
        name: certificateName(leaf),
        serialNumber: leaf.serialNumber,
        notAfter: leaf.notAfter,
        addresses: group.map(({ address }) => address),
      },
    ];
  });
  return [
    {
      finding: {
        code: 'certificates_differ',
        severity: 'warning',
        fingerprint: older.fingerprint,
        facts: {
          kind: 'addresses_differ',
          read: read.length,
          certificates: byLeaf.size,
          others: old
            ? 'its_renewals'
            : others.some(({ leaf }) => leaf.notAfter > older.notAfter)
              ? 'later'
              : 'as_long',
          notAfter: older.notAfter,
          evidence,
        },
      },
      addresses: behind.map(({ address }) => address),
    },
  ];
}

/** Returns the fingerprints of the leaves for which another address already shows the renewal. */
export function replacedLeaves(
  read: readonly { leaf: Certificate }[],
  now: number,
): ReadonlySet<string | null> {
  const replaced = read.filter(({ leaf }) => read.some((other) => isReplacedBy(leaf, other.leaf, now)));
  return new Set(replaced.map(({ leaf }) => leaf.fingerprint));
}

/**
 * Returns whether `other` is a renewal of `older`: issued later for the same names, even if it expires earlier, because new certificates
 * have shorter lifetimes. An expired certificate renews no valid one.
 */
function isReplacedBy(older: Certificate, other: Certificate, now: number): boolean {
  if (!hasSameNames(older, other)) return false;
  const isOver = (one: Certificate) => one.notAfter < now;
  if (isOver(older) !== isOver(other)) return isOver(older);
  const later = other.notBefore - older.notBefore || other.notAfter - older.notAfter;
  return later > 0;
}

function hasSameNames(left: Certificate, right: Certificate): boolean {
  return namesKey(left) === namesKey(right);
}

/** Maximum number of names that are compared: the first ones, as many as are stored. */
const MAX_COMPARED = 2_000;
const namesKeys = new WeakMap<Certificate, string>();

/**
 * Returns a key that is equal for certificates with the same names. Memoized, because with twenty addresses each certificate
 * is compared with up to nineteen others.
 */
function namesKey(certificate: Certificate): string {
  let key = namesKeys.get(certificate);
  if (key === undefined) {
    const { dnsNames, ipAddresses } = certificate.subjectAltNames;
    const names = [...dnsNames, ...ipAddresses].slice(0, MAX_COMPARED);
    key = [...new Set(names.map((name) => name.toLowerCase()))].toSorted().join('\n');
    namesKeys.set(certificate, key);
  }
  return key;
}

/**
 * Returns a warning if clients that send no ALPN get another certificate, probably of another service. `usual`: fingerprints of the leaves
 * that the other handshakes show.
 */
export function alpnFindings(
  { withoutAlpn }: Pick<PostureObservation, 'withoutAlpn'>,
  usual: ReadonlySet<string>,
): LocatedFinding[] {
  const der = withoutAlpn?.presentedChain[0];
  const leaf = der === undefined ? null : tryParseCertificate(der);
  if (withoutAlpn === undefined || leaf === null || usual.has(leaf.fingerprint)) return [];
  const { fingerprint, notAfter, serialNumber } = leaf;
  const facts = {
    kind: 'other_without_alpn' as const,
    name: certificateName(leaf),
    ...firstNames(leaf),
    notAfter,
    evidence: { serialNumber },
  };
  return [
    {
      finding: { code: 'other_certificate_without_alpn', severity: 'warning', fingerprint, facts },
      addresses: [withoutAlpn.address],
    },
  ];
}

function legacyFindings(answers: readonly JudgedAddress[], protocol: Protocol): LocatedFinding[] {
  const legacy = answers.filter(({ seen }) => seen.legacyTls).map(({ seen }) => seen);
  const [first] = legacy;
  if (first === undefined) return [];
  const { tlsVersion, cipher } = first;
  const clients = clientsRefusingOldTls(first, protocol);
  return [
    {
      finding: {
        code: 'legacy_tls',
        severity: severityOf(clients, protocol),
        fingerprint: null,
        facts: { kind: 'legacy_tls', tlsVersion, evidence: { cipher } },
        clients,
      },
      addresses: legacy.map(addressLabel),
    },
  ];
}

/** Returns a note for each unusual reply code with which addresses agreed to start TLS. */
function codeFindings({ addresses }: Observation): LocatedFinding[] {
  const unusual = addresses.flatMap((seen) =>
    seen.outcome === 'handshake' && seen.startTlsCode !== undefined
      ? [{ code: seen.startTlsCode, address: seen.address }]
      : [],
  );
  return [...Map.groupBy(unusual, ({ code }) => code)].map(([code, at]) => ({
    finding: {
      code: 'start_tls_code',
      severity: 'note',
      fingerprint: null,
      facts: { kind: 'start_tls_code', code },
    },
    addresses: at.map(({ address }) => address),
  }));
}

/** Returns whether a finding says that HTTP/2 gets no answer. An endpoint with such a finding is down. */
export function isHttp2Outage({ facts }: Pick<Finding, 'facts'>): boolean {
  return facts.kind === 'http2_fault' && facts.isAnswered !== true;
}

function http2Findings({ http, endpoint }: Observation): LocatedFinding[] {
  return (http?.http2Faults ?? []).map((fault) => {
    const clients = CLIENTS_OF_HTTP2_FAULT[fault];
    const severity = severityOf(clients, endpoint.protocol);
    const isAnswered = http?.outcome === 'answered';
    const facts = { kind: 'http2_fault' as const, fault, ...(isAnswered && { isAnswered }) };
    return {
      finding: { code: 'http2_fault', severity, fingerprint: null, facts, clients },
      addresses: http === null ? [] : [http.address],
    };
  });
}

/**
 * Returns one finding per reason for addresses that failed while others answered. Missing IPv6 or IPv4 on our side, and an address for
 * which we did not wait, are not reported, because they say nothing about the host.
 */
function unreachableFindings(observation: Observation): LocatedFinding[] {
  const failed = observation.addresses.filter(
    (one): one is FailedObservation =>
      one.outcome === 'failed' && one.reason !== 'no_route_here' && one.reason !== 'slow_answers',
  );
  const byReason = Map.groupBy(failed, ({ reason }): ReachFailure => reason);
  return [...byReason].map(([reason, addresses]) => ({
    finding: {
      code: 'address_unreachable',
      severity: 'warning',
      fingerprint: null,
      facts: {
        kind: 'addresses_unreachable',
        reason,
        total: observation.addresses.length,
        evidence: addresses.map((one) => ({
          address: addressLabel(one),
          stage: one.stage,
          durationMs: one.durationMs,
        })),
      },
    },
    addresses: addresses.map(addressLabel),
  }));
}
