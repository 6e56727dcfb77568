import type { Certificate, Reference, TrustStore, WorkBudget } from '../../pki/index.ts';
import { parseReadable } from '../../pki/index.ts';
import type { ChainFinding } from './chain-finding.ts';
import { companionFindings } from './companion-findings.ts';
import { leafFindings, lifetimeFindings } from './leaf-findings.ts';
import { judgePath, tooMuchWork } from './path-findings.ts';

export interface ChainJudgement {
  /** Null when it cannot be read. */
  leaf: Certificate | null;
  /** What was sent after the leaf and can be read, in that order. */
  sent: Certificate[];
  /** Leaf first, anchor last; null where none holds. */
  path: Certificate[] | null;
  weakest: Certificate | null;
  findings: ChainFinding[];
}

/** Everything that is to be said about one chain as a server presented it; each fault is a finding of its own. */
export function judgeChain(input: {
  presentedChain: readonly Uint8Array[];
  /** Certificates found elsewhere that may complete it. */
  authorities: readonly Certificate[];
  /** Whether others may still be found. */
  isPending?: boolean;
  reference: Reference;
  /** The host as people know it. */
  host: string;
  trustStore: TrustStore;
  now: number;
  /** What this look may still cost. */
  work: WorkBudget;
  /** Certificates that no path may use. */
  isBarred?: (certificate: Certificate) => boolean;
}): ChainJudgement {
  const { presentedChain, host, trustStore, now, work, isPending = false, isBarred = () => false } = input;
  // Whatever was sent at further addresses is not even read.
  if (work.isExhausted) return unread([tooMuchWork()]);
  const [leaf, ...others] = presentedChain.map((der) => {
    const certificate = parseReadable(der);
    if (certificate === null) work.spendBytes(der.length);
    return certificate;
  });
  if (leaf === undefined || leaf === null) {
    const message = `${host} shows a certificate that cannot be read.`;
    const finding = { severity: 'critical', message, fingerprint: null, evidence: [] } as const;
    const findings: ChainFinding[] = [{ code: 'malformed_certificate', ...finding, evidence: [] }];
    return unread(findings);
  }
  const sent = others.filter((certificate) => certificate !== null);
  const {
    path,
    isPublic,
    weakest,
    findings: ofPath,
  } = judgePath({
    leaf,
    sent: sent.filter((one) => !isBarred(one)),
    authorities: input.authorities.filter((one) => !isBarred(one)),
    isPending,
    trustStore,
    now,
    work,
  });
  const findings = [
    ...leafFindings(leaf, input),
    ...(isPublic ? lifetimeFindings(leaf) : []),
    ...ofPath,
    ...(path === null ? [] : companionFindings(sent, path, now)),
  ];
  if (sent.length < others.length) {
    const message = 'One of the certificates sent along cannot be read.';
    findings.push({
      code: 'malformed_certificate',
      severity: 'note',
      message,
      fingerprint: null,
      evidence: [],
      mendedByChain: true,
    });
  }
  return { leaf, sent, path, weakest, findings };
}

function unread(findings: ChainFinding[]): ChainJudgement {
  return { leaf: null, sent: [], path: null, weakest: null, findings };
}
