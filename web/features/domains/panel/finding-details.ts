import type { FindingWire } from '../../../../contract/domain.ts';
import type { ReportFindingWire, ReportWire } from '../../../../contract/domain-report.ts';

export interface ShownFinding {
  finding: FindingWire;
  /** What the report has beside the sentence; null until it is here, or where it is of another check. */
  details: ReportFindingWire | null;
}

/**
 * The domain's findings with what the report says of each. Sentences tell them apart: two of one code are about different
 * certificates or addresses.
 */
export function withDetails(
  findings: readonly FindingWire[],
  report: ReportWire | undefined,
): ShownFinding[] {
  const left = [...(report?.findings ?? [])];
  return findings.map((finding) => {
    const index = left.findIndex(({ code, message }) => code === finding.code && message === finding.message);
    const [details = null] = index < 0 ? [] : left.splice(index, 1);
    return { finding, details };
  });
}
