import { parseReadable } from '../../pki/index.ts';
import { certificateName } from '../certificate-name.ts';
import type { ChainJudgement } from './chain-findings.ts';
import type { Observation } from '../observation.ts';
import type { PathEntry } from '../verdict.ts';

/** The path that holds, as people are shown it; empty where none does. */
export function pathEntries(
  { path, sent }: Pick<ChainJudgement, 'path' | 'sent'>,
  { authorities }: Observation,
): PathEntry[] {
  if (path === null) return [];
  const known = new Set(sent.map(({ fingerprint }) => fingerprint));
  const found = new Map(
    authorities.flatMap(({ der, source }) => {
      const certificate = parseReadable(der);
      return certificate === null ? [] : [[certificate.fingerprint, source] as const];
    }),
  );
  return path.map((certificate, index): PathEntry => {
    const { fingerprint, notAfter } = certificate;
    const role = index === 0 ? 'leaf' : index === path.length - 1 ? 'anchor' : 'intermediate';
    const isSent = role === 'leaf' || known.has(fingerprint);
    const elsewhere = role === 'anchor' ? 'trust_store' : (found.get(fingerprint) ?? 'cache');
    return {
      fingerprint,
      name: certificateName(certificate),
      role,
      notAfter,
      source: isSent && role !== 'anchor' ? 'sent' : elsewhere,
    };
  });
}
