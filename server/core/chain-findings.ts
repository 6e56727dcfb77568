import type { Certificate, Reference, TrustStore } from '../pki/index.ts';
import { matchesReference, parseReadable, validityFailure } from '../pki/index.ts';
import { certificateName } from './certificate-name.ts';
import { longDate } from './long-date.ts';
import { oneLine } from './one-line.ts';
import type { ChainFinding } from './path-findings.ts';
import { judgePath } from './path-findings.ts';

/** Clocks differ: a certificate that starts within this time is taken as valid. */
const CLOCK_SKEW_MS = 5 * 60_000;
const NAMES_SHOWN = 3;

export interface ChainJudgement {
  /** Null when it cannot be read. */
  leaf: Certificate | null;
  weakest: Certificate | null;
  findings: ChainFinding[];
}

/** Everything that is to be said about one chain as a server presented it; each fault is a finding of its own. */
export function judgeChain(input: {
  presentedChain: readonly Uint8Array[];
  reference: Reference;
  /** The host as people know it. */
  host: string;
  trustStore: TrustStore;
  now: number;
}): ChainJudgement {
  const { presentedChain, reference, host, trustStore, now } = input;
  const [leaf, ...others] = presentedChain.map(parseReadable);
  if (leaf === undefined || leaf === null) {
    const message = `${host} shows a certificate that cannot be read.`;
    return {
      leaf: null,
      weakest: null,
      findings: [{ code: 'malformed_certificate', severity: 'critical', message, fingerprint: null }],
    };
  }
  const readable = others.filter((certificate) => certificate !== null);
  const { findings: pathFindings, path, weakest } = judgePath({ leaf, others: readable, trustStore, now });
  const findings = [
    ...validityFindings(leaf, now),
    ...nameFindings(leaf, reference, host),
    ...pathFindings,
    ...(path === null ? [] : companyFindings(readable, path, now)),
  ];
  if (readable.length < others.length) {
    const message = 'One of the certificates sent along cannot be read.';
    findings.push({ code: 'malformed_certificate', severity: 'note', message, fingerprint: null });
  }
  return { leaf, weakest, findings };
}

function validityFindings(leaf: Certificate, now: number): ChainFinding[] {
  const { fingerprint } = leaf;
  if (validityFailure(leaf, now) === 'expired') {
    const message = `The certificate expired on ${longDate(leaf.notAfter, 'UTC')}.`;
    return [{ code: 'expired', severity: 'critical', message, fingerprint }];
  }
  if (validityFailure(leaf, now + CLOCK_SKEW_MS) === 'not_yet_valid') {
    const message = `The certificate is valid only from ${longDate(leaf.notBefore, 'UTC')} on.`;
    return [{ code: 'not_yet_valid', severity: 'critical', message, fingerprint }];
  }
  return [];
}

function nameFindings(leaf: Certificate, reference: Reference, host: string): ChainFinding[] {
  if (matchesReference(leaf, reference)) return [];
  const names = [...leaf.subjectAltNames.dnsNames, ...leaf.subjectAltNames.ipAddresses].map(oneLine);
  const more = names.length - NAMES_SHOWN;
  const listed = names.slice(0, NAMES_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const message =
    names.length === 0
      ? `The certificate names no host (it has no subject alternative names), so it does not cover ${host}.`
      : `The certificate does not cover ${host}; it is for ${listed}.`;
  return [{ code: 'name_mismatch', severity: 'critical', message, fingerprint: leaf.fingerprint }];
}

/** What was sent along beside or out of the order of a path that holds. Worth a note; nothing depends on it. */
function companyFindings(
  others: readonly Certificate[],
  path: readonly Certificate[],
  now: number,
): ChainFinding[] {
  const place = new Map(path.map(({ fingerprint }, index) => [fingerprint, index]));
  const findings = others
    .filter((one) => !place.has(one.fingerprint) && validityFailure(one, now) === 'expired')
    .map((one): ChainFinding => ({
      code: 'unused_certificate_expired',
      severity: 'note',
      message: `“${certificateName(one)}” is sent along although it expired on ${longDate(one.notAfter, 'UTC')}; nothing depends on it.`,
      fingerprint: one.fingerprint,
    }));
  const places = others.flatMap(({ fingerprint }) => place.get(fingerprint) ?? []);
  if (places.some((index, position) => index < (places[position - 1] ?? 0))) {
    const message = 'The server sends the chain in the wrong order; some clients cannot follow it.';
    findings.push({ code: 'wrong_order', severity: 'note', message, fingerprint: null });
  }
  return findings;
}
