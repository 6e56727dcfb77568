import { tryParseCertificate } from '../../pki/index.ts';
import type { ChainJudge } from './answers.ts';
import type { ChainFinding, KeyType } from '../finding.ts';
import { expiringCertificate } from './renewal.ts';
import type { Observation } from '../observation.ts';
import type { PostureVerdict } from '../verdict.ts';

export interface JudgedPosture extends Omit<PostureVerdict, 'findings'> {
  shown: { finding: ChainFinding; address: string; keyType: KeyType }[];
}

/**
 * Judges the results of the daily posture check; returns null if there are none. Skips leaves that the usual handshake also
 * shows. Findings about the other leaves are warnings, because they affect some clients only.
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
    const leaf = presentedChain[0] === undefined ? null : tryParseCertificate(presentedChain[0]);
    if (leaf === null || usual.has(leaf.fingerprint)) continue;
    judged.alternates.push({ keyType, address, certificate: expiringCertificate(leaf, 'leaf', renewal) });
    for (const finding of judge.judge(presentedChain).findings) {
      if (finding.severity === 'note') continue;
      judged.shown.push({ finding: { ...finding, severity: 'warning' }, address, keyType });
    }
  }
  return judged;
}
