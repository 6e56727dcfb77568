import { useState } from 'react';
import type { DomainWire, FindingWire } from '../../../../contract/domain.ts';
import type { StandingFinding } from './standing-finding.ts';

/** A problem that the open panel has shown and that the last check no longer finds. */
export type FixedFinding = Pick<FindingWire, 'code' | 'message'>;

const STANDING = 'standing';

/**
 * Returns the problems that ended while the panel showed the domain. The calling component needs the domain's id as its `key`, so that
 * it forgets the problems of the previous domain.
 */
export function useFixedFindings(domain: DomainWire, standing: StandingFinding | null): FixedFinding[] {
  const current = problemsOf(domain, standing);
  const [shown, setShown] = useState(current);
  const added = withoutCodes(current, shown);
  if (added.length > 0) setShown([...shown, ...added]);
  return fixedFindings(shown, domain, standing);
}

/** Returns those of the shown problems that the latest check no longer finds. */
export function fixedFindings(
  shown: readonly FixedFinding[],
  domain: DomainWire,
  standing: StandingFinding | null,
): FixedFinding[] {
  // A paused domain is not checked, so nothing is known to be fixed. The same holds if the check read no certificate.
  if (domain.paused !== null || domain.unreachable !== null) return [];
  return withoutCodes(shown, problemsOf(domain, standing));
}

function problemsOf({ findings }: DomainWire, standing: StandingFinding | null): FixedFinding[] {
  const problems: FixedFinding[] = findings.filter(({ severity }) => severity !== 'note');
  return standing === null ? problems : [{ code: STANDING, message: standing.message }, ...problems];
}

function withoutCodes(findings: readonly FixedFinding[], others: readonly FixedFinding[]): FixedFinding[] {
  const codes = new Set(others.map(({ code }) => code));
  return findings.filter(({ code }) => !codes.has(code));
}
