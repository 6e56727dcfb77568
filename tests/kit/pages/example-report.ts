import type { ReportFindingWire, ReportWire } from '../../../contract/domain-report.ts';
import { EXAMPLE_NOW } from './example-domain.ts';
import type { ReportRead } from '../../../web/features/domain-panel/report/report-query.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const at = (days: number) => new Date(EXAMPLE_NOW + days * DAY_MS).toISOString();

/** Returns, for tests, the report on a healthy domain without facts yet. */
export function exampleReport(differences: Partial<ReportWire> = {}): ReportWire {
  return {
    checked_at: at(-0.01),
    findings: [],
    addresses: [
      {
        address: '192.0.2.10',
        family: 4,
        server: null,
        fingerprint: 'ab'.repeat(32),
        expiry_date: at(32),
        tls_version: 'TLSv1.3',
        group: 'X25519MLKEM768',
        alpn: 'h2',
        response_ms: 34,
        failure: null,
        is_ours: false,
      },
    ],
    clients: [],
    path: [],
    chain_pem: null,
    revocation_sources: [],
    posture: null,
    transparency: null,
    forecast: null,
    forecast_pending: false,
    markdown: '# fjord.example',
    ...differences,
  };
}

/** Returns, for tests, a finding with only a message. */
export function exampleFinding(differences: Partial<ReportFindingWire> = {}): ReportFindingWire {
  return {
    code: 'incomplete_chain',
    severity: 'warning',
    message: "Your server does not send the intermediate 'R13'.",
    addresses: [],
    clients: [],
    fingerprint: null,
    fix: null,
    command: null,
    evidence: [],
    attachment: null,
    ...differences,
  };
}

/** Returns, for tests, the state of a report that was just read, failed or is still loading. */
export function readOf(report: ReportWire | undefined, error: Error | null = null): ReportRead {
  return { report, error, readAt: EXAMPLE_NOW, isReading: false, readAgain: () => undefined };
}
