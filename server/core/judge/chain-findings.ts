import { type Certificate, tryParseCertificate } from '../../pki/certificate.ts';
import { readLeniently } from '../../pki/lenient-certificate.ts';
import type { ReferenceIdentifier } from '../../pki/names/reference-identifier.ts';
import { filterTrustStore, type TrustStore } from '../../pki/trust-store.ts';
import type { WorkBudget } from '../../pki/work-budget.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import type { ChainFinding } from '../finding.ts';
import { oneLine } from '../one-line.ts';
import {
  anchorRefusals,
  linkRefusals,
  pathRefusals,
  sentCertificateRefusals,
} from './clients/client-findings.ts';
import { datedFindings } from './dated-findings.ts';
import { firstIssuerRefusals } from './first-issuer.ts';
import { unorderedRefusals } from './unordered-chain.ts';
import {
  leafFindings,
  lifetimeFindings,
  NAMES_KEPT,
  unreadableSentCertificate,
  type UnverifiedLeaf,
} from '../findings/leaf.ts';
import { sentChainFindings } from '../findings/sent-chain.ts';
import { judgePath, type PathQuestion, tooMuchWorkFinding } from './path-findings.ts';

export interface ChainJudgement {
  /** The leaf; null if it cannot be read. */
  leaf: Certificate | null;
  /** The readable certificates that were sent after the leaf, in that order. */
  sent: Certificate[];
  /** The valid path, leaf first, anchor last; null if there is none. */
  path: Certificate[] | null;
  /** Whether the path ends in an anchor of a public root program. */
  isPublic: boolean;
  weakest: Certificate | null;
  findings: ChainFinding[];
}

/** Judges one chain as a server presented it. Each fault is a finding of its own. */
export function judgeChain(input: {
  presentedChain: readonly Uint8Array[];
  /** Certificates that the server did not send but that may complete the chain. */
  fetchedIntermediates: readonly Certificate[];
  /** Whether the search for more certificates is still running. */
  isPending?: boolean;
  reference: ReferenceIdentifier;
  /** Name to verify, for findings; absent if it is the host. */
  verifyName?: string;
  protocol: Protocol;
  trustStore: TrustStore;
  now: number;
  /** Remaining work budget of this check. */
  work: WorkBudget;
  /** Certificates that no path may use. */
  isBarred?: (certificate: Certificate) => boolean;
}): ChainJudgement {
  const { presentedChain, trustStore, now, work, isPending = false, isBarred = () => false } = input;
  // Once the budget is exhausted, the chains of further addresses are not even parsed.
  if (work.isExhausted) return unreadableChain([tooMuchWorkFinding()]);
  const [leaf, ...others] = presentedChain.map((der) => {
    const certificate = tryParseCertificate(der);
    if (certificate === null) work.spendBytes(der.length);
    return certificate;
  });
  if (leaf === undefined || leaf === null) {
    const facts = { kind: 'unreadable_leaf' as const, evidence: unverifiedLeaf(presentedChain[0]) };
    return unreadableChain([
      { code: 'malformed_certificate', severity: 'critical', fingerprint: null, facts },
    ]);
  }
  const sent = others.filter((certificate) => certificate !== null);
  const seen = { leaf, sent, trustStore, now, work };
  const questionWithout = (odd: ReadonlySet<Certificate>): PathQuestion => ({
    leaf,
    sent: sent.filter((one) => !isBarred(one) && !odd.has(one)),
    fetchedIntermediates: input.fetchedIntermediates.filter((one) => !isBarred(one) && !odd.has(one)),
    isPending,
    trustStore:
      odd.size === 0 ? trustStore : filterTrustStore(trustStore, ({ certificate }) => !odd.has(certificate)),
    now,
    protocol: input.protocol,
    work,
  });
  const question = questionWithout(new Set());
  const first = judgePath(question);
  // Browsers and Go also try other paths. If a path without the certificates that some clients refuse has no findings, use it.
  const odd = (first.path ?? []).filter(
    (_, index, path) =>
      index > 0 &&
      (index === path.length - 1
        ? anchorRefusals(path, trustStore, input.protocol)
        : linkRefusals(path, index, input.protocol)
      ).length > 0,
  );
  const other = odd.length === 0 ? null : judgePath(questionWithout(new Set(odd)));
  const {
    path,
    isPublic,
    weakest,
    findings: ofPath,
  } = other !== null && other.findings.length === 0 ? other : first;
  const findings: ChainFinding[] = [
    ...leafFindings(leaf, input),
    ...(isPublic ? lifetimeFindings(leaf, input.protocol) : []),
    ...ofPath,
    ...(path === null
      ? []
      : [
          ...pathRefusals(path, trustStore, { reference: input.reference, isPublic }, input.protocol),
          ...sentCertificateRefusals(sent, path, input.protocol),
          ...firstIssuerRefusals(seen, path, input.protocol),
          ...unorderedRefusals(seen, path, input.protocol),
          ...sentChainFindings(sent, path, now),
          ...datedFindings(question, path, isPublic),
        ]),
  ];
  if (sent.length < others.length) findings.push(unreadableSentCertificate());
  return { leaf, sent, path, isPublic, weakest, findings };
}

function unverifiedLeaf(der: Uint8Array | undefined): UnverifiedLeaf | null {
  const read = der === undefined ? null : readLeniently(der);
  if (read === null) return null;
  const { subject, issuer, notBefore, notAfter, dnsNames } = read;
  return {
    subject: subject && oneLine(subject),
    issuer: issuer && oneLine(issuer),
    notBefore,
    notAfter,
    names: dnsNames.slice(0, NAMES_KEPT).map(oneLine),
  };
}

function unreadableChain(findings: ChainFinding[]): ChainJudgement {
  return { leaf: null, sent: [], path: null, isPublic: false, weakest: null, findings };
}
