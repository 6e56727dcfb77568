import type { Certificate, PathFailure } from '../../pki/index.ts';
import { certificateName, issuerName } from '../facts.ts';
import type { ChainFinding } from './chain-finding.ts';
import { longDate } from '../long-date.ts';

/**
 * A chain that holds only with certificates that the server did not send: clients that remember or fetch those accept it, the
 * others do not. `outdated`: one that it sent instead and that has expired.
 */
export function incompleteFinding(
  { leaf, sent }: { leaf: Certificate; sent: readonly Certificate[] },
  path: readonly Certificate[],
  outdated: Certificate | null,
): ChainFinding {
  const known = new Set(sent.map(({ fingerprint }) => fingerprint));
  const missing = path.slice(1, -1).filter(({ fingerprint }) => !known.has(fingerprint));
  const names = missing.map(certificateName);
  const evidence = [
    { label: 'Missing', value: names.join(', ') },
    { label: 'Sent', value: [leaf, ...sent].map(certificateName).join(', ') },
  ];
  if (outdated !== null) {
    const date = longDate(outdated.notAfter, 'UTC');
    return {
      code: 'intermediate_expired',
      severity: 'warning',
      message: `Your server sends the intermediate '${certificateName(outdated)}' that expired on ${date}. Browsers may cope, curl and Java will not.`,
      fingerprint: outdated.fingerprint,
      evidence,
      mendedByChain: true,
    };
  }
  const quoted = names.map((name) => `'${name}'`).join(' and ');
  return {
    code: 'incomplete_chain',
    severity: 'warning',
    message: `Your server does not send the intermediate${names.length === 1 ? '' : 's'} ${quoted}. Browsers may cope, curl and Java will not.`,
    fingerprint: leaf.fingerprint,
    evidence,
    mendedByChain: true,
  };
}

/** No path holds yet, and it is not known whether one will: nobody has looked to the end. */
export function pendingFinding(leaf: Certificate, failures: readonly PathFailure[]): ChainFinding {
  const issuer = `“${issuerName(leaf)}”`;
  const isNotSent = failures.some(({ code, role }) => code === 'no_issuer' && role === 'leaf');
  return {
    code: 'incomplete_chain',
    severity: 'warning',
    message: isNotSent
      ? `The chain is incomplete: the server does not send ${issuer}, which is still being looked for.`
      : `The chain that the server sends leads to no known authority; another way up from ${issuer} is still being looked for.`,
    fingerprint: leaf.fingerprint,
    evidence: [
      { label: 'Certificate', value: certificateName(leaf) },
      { label: 'Issued by', value: issuerName(leaf) },
    ],
  };
}
