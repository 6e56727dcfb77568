import { parseReadable } from '../../pki/index.ts';
import type { ChainJudge } from './answers.ts';
import type { ChainFinding } from './chain-finding.ts';
import { expiringCertificate } from './expiring.ts';
import type { Observation } from '../observation.ts';
import type { PostureVerdict } from '../verdict.ts';

const KEY_NAMES = { rsa: 'RSA', ecdsa: 'ECDSA' } as const;

export interface JudgedPosture extends Omit<PostureVerdict, 'findings'> {
  shown: { finding: ChainFinding; address: string; keyType: 'rsa' | 'ecdsa' }[];
}

/**
 * What the daily look found. Leaves that the usual handshake shows too are left out; what is wrong with the others keeps some
 * clients away, never all.
 */
export function judgePosture(
  { posture, renewal }: Observation,
  usual: ReadonlySet<string>,
  judge: ChainJudge,
): JudgedPosture | null {
  if (posture === null) return null;
  const { at, tlsVersions, postQuantum, caa, registration } = posture;
  const judged: JudgedPosture = {
    at,
    tlsVersions,
    postQuantum,
    caa,
    registration,
    alternates: [],
    shown: [],
  };
  for (const { keyType, address, presentedChain } of posture.alternates) {
    const leaf = presentedChain[0] === undefined ? null : parseReadable(presentedChain[0]);
    if (leaf === null || usual.has(leaf.fingerprint)) continue;
    judged.alternates.push({ keyType, address, certificate: expiringCertificate(leaf, 'leaf', renewal) });
    for (const finding of judge.judge(presentedChain).findings) {
      if (finding.severity === 'note') continue;
      judged.shown.push({ finding: forSomeClients(finding, keyType), address, keyType });
    }
  }
  return judged;
}

function forSomeClients(finding: ChainFinding, keyType: 'rsa' | 'ecdsa'): ChainFinding {
  const name = KEY_NAMES[keyType];
  return {
    ...finding,
    severity: 'warning',
    message: `Clients that accept ${name} signatures only get another certificate. ${finding.message}`,
    evidence: [...finding.evidence, { label: 'Shown to', value: `clients with ${name} signatures only` }],
  };
}
