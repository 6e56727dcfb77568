import type {
  AddressWire,
  ForecastWire,
  PostureWire,
  ReportFindingWire,
  ReportWire,
  TransparencyWire,
} from '../../../contract/domain-report.ts';
import { checkWords, forecastLine, forecastMessage } from '../../core/forecast/forecast-words.ts';
import type { Forecast } from '../../core/forecast/forecast.ts';
import { revocationWhy } from '../../core/findings/revocation.ts';
import { connectingClients } from '../../core/judge/clients/refusals.ts';
import { type ReportFinding, whatHappenedAt } from '../../core/report/reach-finding.ts';
import { earlierPosture, isPostureComplete, untestedPosture } from '../../core/report/report-posture.ts';
import { type Report, reportFindings, reportMarkdown } from '../../core/report/report.ts';
import {
  clientViews,
  knownTransparency,
  logWords,
  policyMessage,
  transparencyNote,
} from '../../core/report/transparency-words.ts';
import type { AddressVerdict, PostureVerdict, TransparencyVerdict } from '../../core/verdict.ts';
import { iso, isoOrNull } from './domain-wire.ts';

type ReportForecast = Pick<ReportWire, 'forecast' | 'forecast_pending'>;
const NO_FORECAST: ReportForecast = { forecast: null, forecast_pending: false };

/** Maps the report of a check to wire format. The command-line check prints the same fields in its JSON, without a forecast. */
export function reportWire(report: Report, forecast: ReportForecast = NO_FORECAST): ReportWire {
  const { verdict, chainPem } = report;
  return {
    checked_at: iso(verdict.observedAt),
    findings: reportFindings(report).map(reportFinding),
    addresses: verdict.addresses.map(addressWire),
    clients: connectingClients(verdict, report.endpoint.protocol).map(({ refusesFrom, ...client }) => ({
      ...client,
      ...(refusesFrom !== undefined && { refuses_from: iso(refusesFrom) }),
    })),
    path: verdict.path.map(({ fingerprint, name, role, notAfter, source }) => ({
      fingerprint,
      name,
      role,
      expiry_date: iso(notAfter),
      source,
    })),
    chain_pem: chainPem,
    revocation_sources: verdict.revocation.sources.map((queried) => ({
      source: queried.source,
      url: queried.url,
      checked_at: iso(queried.at),
      state: queried.state,
      why: queried.why && revocationWhy(queried.why),
      this_update: isoOrNull(queried.thisUpdate),
      next_update: isoOrNull(queried.nextUpdate),
    })),
    posture: verdict.posture ? postureWire(verdict.posture) : null,
    transparency: verdict.transparency ? transparencyWire(verdict.transparency) : null,
    ...forecast,
    markdown: reportMarkdown(report),
  };
}

/** Returns the report of a domain that was never checked. `host` is its display name. */
export function emptyReportWire(host: string): ReportWire {
  return {
    checked_at: null,
    findings: [],
    addresses: [],
    clients: [],
    path: [],
    chain_pem: null,
    revocation_sources: [],
    posture: null,
    transparency: null,
    ...NO_FORECAST,
    markdown: `# ${host}\n\nNo results yet: the first check has not run.\n`,
  };
}

function reportFinding(finding: ReportFinding): ReportFindingWire {
  const { code, severity, message, addresses, clients, ...rest } = finding;
  const { fingerprint, fix, command, evidence, attachment } = rest;
  return {
    code,
    severity,
    message,
    addresses,
    clients: [...clients],
    fingerprint,
    fix,
    command,
    evidence,
    attachment,
  };
}

function addressWire(seen: AddressVerdict): AddressWire {
  return {
    address: seen.address,
    family: seen.family,
    server: seen.server === undefined ? null : `${seen.server.name}:${seen.server.port}`,
    fingerprint: seen.fingerprint,
    expiry_date: isoOrNull(seen.notAfter),
    tls_version: seen.tlsVersion,
    group: seen.group,
    alpn: seen.alpn,
    response_ms: seen.durationMs,
    failure: whatHappenedAt(seen),
    ...(seen.failure?.reply && { reply: seen.failure.reply }),
    // True if this server has no IPv6 or no IPv4, so that it could not try the address.
    is_ours: seen.failure?.reason === 'no_route_here',
  };
}

function postureWire(posture: PostureVerdict): PostureWire {
  const { at, tlsVersions, postQuantum, caa, registration, alternates } = posture;
  return {
    checked_at: iso(at),
    tls_versions: tlsVersions,
    post_quantum: postQuantum,
    caa,
    registration:
      registration.outcome === 'expires'
        ? {
            outcome: 'expires',
            domain: registration.domain,
            expiry_date: iso(registration.expiresAt),
            registrar: registration.registrar,
          }
        : registration,
    alternates: alternates.map(({ keyType, certificate, clients = [] }) => ({
      key_type: keyType,
      clients: [...clients],
      fingerprint: certificate.fingerprint,
      name: certificate.name,
      expiry_date: iso(certificate.notAfter),
    })),
    not_tested: untestedPosture(posture),
    is_complete: isPostureComplete(posture),
    earlier: earlierPosture(posture).map(({ results, at: testedAt }) => ({
      results,
      checked_at: iso(testedAt),
    })),
  };
}

function transparencyWire(verdict: TransparencyVerdict): TransparencyWire {
  const transparency = knownTransparency(verdict);
  const { timestamps, unreadable, policies } = transparency;
  return {
    timestamps: timestamps.map((timestamp) => ({
      log_id: timestamp.logId,
      log: logWords(timestamp)?.name ?? null,
      operator: logWords(timestamp)?.operator ?? null,
      at: iso(timestamp.at),
      delivery: timestamp.delivery,
      clients: clientViews(timestamp, transparency),
    })),
    unreadable,
    policies: policies.map((policy) => ({
      client: policy.client,
      outcome: policy.outcome,
      message: policyMessage(policy, transparency),
    })),
    note: transparencyNote(transparency),
  };
}

/** Maps a forecast to wire format. `record`: how many of the account's scored forecasts were right; null before the first one. */
export function forecastWire(forecast: Forecast, record: ForecastWire['record']): ForecastWire {
  return {
    outcome: forecast.outcome,
    line: forecastLine(forecast),
    expected_at: iso(forecast.expectedAt),
    checked_at: iso(forecast.at),
    expected_by: forecast.expectedBy,
    method: forecast.method,
    message: forecastMessage(forecast),
    record,
    checks: forecast.checks.map((check) => {
      const { zoneRecord, ...words } = checkWords(check);
      const { code, state, methods, names } = check;
      return { code, state, methods, names, ...words, zone_record: zoneRecord };
    }),
  };
}
