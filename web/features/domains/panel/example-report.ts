import type { ReportFindingWire, ReportWire } from '../../../../contract/domain-report.ts';
import { EXAMPLE_NOW } from '../example-domain.ts';
import type { ReportRead } from './report-query.ts';
import { DAY_MS } from '../../../../contract/durations.ts';

const at = (days: number) => new Date(EXAMPLE_NOW + days * DAY_MS).toISOString();

/** For tests: the report on a healthy domain that the facts were not gathered of yet. */
export function exampleReport(differences: Partial<ReportWire> = {}): ReportWire {
  return {
    checked_at: at(-0.01),
    findings: [],
    addresses: [
      {
        address: '192.0.2.10',
        family: 4,
        fingerprint: 'ab'.repeat(32),
        expiry_date: at(32),
        tls_version: 'TLSv1.3',
        group: 'X25519MLKEM768',
        response_ms: 34,
        failure: null,
        is_ours: false,
      },
    ],
    path: [],
    chain_pem: null,
    revocation_sources: [],
    posture: null,
    markdown: '# fjord.example',
    ...differences,
  };
}

/** For tests: a finding without anything beside its sentence. */
export function exampleFinding(differences: Partial<ReportFindingWire> = {}): ReportFindingWire {
  return {
    code: 'incomplete_chain',
    severity: 'warning',
    message: "Your server does not send the intermediate 'R13'.",
    addresses: [],
    fingerprint: null,
    fix: null,
    command: null,
    evidence: [],
    attachment: null,
    ...differences,
  };
}

/** For tests: as if it had been read a moment ago, or was still to come. */
export function readOf(report: ReportWire | undefined, error: Error | null = null): ReportRead {
  return { report, error, readAt: EXAMPLE_NOW, isReading: false, readAgain: () => undefined };
}
