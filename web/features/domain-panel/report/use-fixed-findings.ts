import { useState } from 'react';
import type { DomainWire, FindingWire } from '../../../../contract/domain.ts';
import type { StandingFinding } from './standing-finding.ts';

/** A problem that the open panel has shown and that the last check no longer finds. */
export type FixedFinding = Pick<FindingWire, 'code' | 'message'>;

const STANDING = 'standing';

/** Returns the problems that ended since the panel shows the domain. The component must be keyed by the domain. */
export function useFixedFindings(domain: DomainWire, standing: StandingFinding | null): FixedFinding[] {
  const current = problemsOf(domain, standing);
  const [shown, setShown] = useState(current);
  const added = withoutCodes(current, shown);
  if (added.length > 0) setShown([...shown, ...added]);
  return fixedFindings(shown, domain, standing);
}

/** Returns which of the problems that were shown a later check no longer finds. */
export function fixedFindings(
  shown: readonly FixedFinding[],
  domain: DomainWire,
  standing: StandingFinding | null,
): FixedFinding[] {
  // Nothing is known to be fixed while nobody looks, and nothing about a certificate while none is read.
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
