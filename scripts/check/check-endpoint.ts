import { assessUptime } from '../../server/core/check/uptime.ts';
import { displayName, type Endpoint } from '../../server/core/endpoint.ts';
import { certificateFacts } from '../../server/core/facts.ts';
import { judge } from '../../server/core/judge/judge.ts';
import type { LogLists } from '../../server/core/judge/transparency.ts';
import { type Report, reportFindings } from '../../server/core/report/report.ts';
import { identityOf } from '../../server/core/target.ts';
import type { Observation } from '../../server/core/observation.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { type Certificate, tryParseCertificate } from '../../server/pki/certificate.ts';
import { toPem } from '../../server/pki/der/pem.ts';
import type { TrustStore } from '../../server/pki/trust-store.ts';
import type { Probe } from '../../server/probe/probe.ts';

/** A checked endpoint with the certificates that its verdict refers to. */
export interface Checked {
  endpoint: Endpoint;
  /** Name of the endpoint to display. */
  host: string;
  observation: Observation;
  verdict: Verdict;
  /** Leaf certificate that the verdict is about; null if no certificate could be read. */
  leaf: Certificate | null;
  /** Chain that the server should send, leaf first; null if it is not known. */
  chainToServe: Certificate[] | null;
}

/** Probes an endpoint, including its posture by default, and judges the observation. */
export async function checkEndpoint(
  endpoint: Endpoint,
  {
    probe,
    trustStore,
    logLists,
    withPosture = true,
    signal,
    onSlow,
  }: {
    probe: Probe;
    trustStore: TrustStore;
    logLists: LogLists;
    withPosture?: boolean;
    signal: AbortSignal;
    onSlow: () => void;
  },
): Promise<Checked> {
  const observation = await probe.observe(identityOf(endpoint), {
    signal,
    onSlow,
    trustStore,
    withPosture,
    isNew: true,
    // The person who runs the command asked for this host, so they may read what any of its addresses answers.
    replies: 'all',
  });
  const host = displayName(endpoint);
  const verdict = judge(observation, Date.now(), trustStore, null, undefined, logLists);
  const ders = [
    ...observation.addresses.flatMap((one) => (one.outcome === 'handshake' ? one.presentedChain : [])),
    ...observation.authorities.map(({ der }) => der),
  ];
  const known = new Map(
    [
      ...ders.flatMap((der) => tryParseCertificate(der) ?? []),
      ...trustStore.anchors.map(({ certificate }) => certificate),
    ].map((certificate) => [certificate.fingerprint, certificate]),
  );
  const wanted = verdict.chainToServe?.flatMap((fingerprint) => known.get(fingerprint) ?? []);
  return {
    endpoint,
    host,
    observation,
    verdict,
    leaf: known.get(verdict.leafFingerprint ?? '') ?? null,
    chainToServe: wanted !== undefined && wanted.length === verdict.chainToServe?.length ? wanted : null,
  };
}

/** Returns the report on a check. It has no uptime history, because there was no earlier check. */
export function reportOf(
  { endpoint, observation, verdict, leaf, chainToServe }: Checked,
  now: number,
): Report {
  const { state, cause } = assessUptime(observation);
  return {
    endpoint,
    verdict,
    facts: leaf === null ? null : certificateFacts(leaf),
    chainPem: chainToServe?.map(({ der }) => toPem(der)).join('') ?? null,
    uptime: {
      state,
      cause: cause?.message ?? null,
      downSince: null,
      percent: null,
      windowDays: null,
    },
    authorityPlace: 'shell',
    now,
  };
}

/** Returns the worst exit code of all checks. `HELP` documents the codes. */
export function exitCode(checked: readonly Checked[]): 0 | 1 | 2 | 3 {
  const codes = checked.map((one) => {
    const { verdict } = one;
    if (!verdict.reached) return 3;
    if (!verdict.trusted || verdict.revocation.state === 'revoked') return 2;
    const severities = reportFindings(reportOf(one, verdict.judgedAt)).map(({ severity }) => severity);
    return severities.includes('critical') ? 2 : severities.includes('warning') ? 1 : 0;
  });
  return codes.reduce<0 | 1 | 2 | 3>((worst, code) => (code > worst ? code : worst), 0);
}
