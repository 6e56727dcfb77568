import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../contract/durations.ts';
import type { Observation } from '../../server/core/observation.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { judge } from '../../server/core/judge/judge.ts';
import { describeVerdict } from '../../server/core/report/describe-finding.ts';
import { untestedPosture } from '../../server/core/report/report-posture.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { checkTraces, controlTraces } from './check-traces.ts';
import { prepareFiles } from '../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from './servers.ts';

export interface Outcome {
  server: string;
  /** null if the server did not start. */
  endpoint: Endpoint | null;
  /** TLS version, group and the protocol agreed by ALPN; empty if the handshake failed. */
  seen: string;
  /** How many log lines each filter matched and by how much counters rose, after 20 ordinary checks and after one with posture. */
  left?: string;
  /** What the server logged about an ordinary check, and about a check with posture. */
  logged?: string;
  /** What was wrong; null if all was as expected: usually a trusted certificate and no traces. */
  fault: string | null;
}

const HOST = 'interop.test';
const root = mintAuthority({ commonName: 'Interop Root' });
const intermediate = root.intermediate({ commonName: 'Interop Intermediate' });
const leaf = intermediate.issue({ dnsNames: [HOST] });
const expiredRsa = intermediate.issue({
  dnsNames: [HOST],
  key: 'RSA-2048',
  notBefore: Date.now() - 2 * DAY_MS,
  notAfter: Date.now() - DAY_MS,
});
const trustStore = createTrustStore([root.der]);

/** Starts a server, checks each of its endpoints as if a user monitored it, and stops the server. */
export async function checkServer(
  server: ServerKind,
  folder: string,
  signal: AbortSignal,
): Promise<Outcome[]> {
  chmodSync(folder, 0o755);
  try {
    const files = prepareFiles(join(folder, server.name), leaf, root.certificatePem);
    const running = await server.start(files, HOST, expiredRsa);
    try {
      const outcomes: Outcome[] = [];
      const { traces, endpoints } = running;
      const folderOfParts = files.makeFolder('parts');
      for (const endpoint of endpoints) {
        const outcome = { server: server.name, endpoint, ...(await check(endpoint, signal)) };
        if (traces === undefined) outcomes.push(outcome);
        else {
          const look = (withPosture: boolean) => observe(endpoint, withPosture, signal);
          const { fault, ...left } = await checkTraces(traces, endpoint, look, folderOfParts);
          outcomes.push({ ...outcome, ...left, fault: outcome.fault ?? fault });
        }
      }
      const fault = traces === undefined ? null : await controlTraces(traces, folderOfParts);
      return fault === null
        ? outcomes
        : [...outcomes, { server: server.name, endpoint: null, seen: '', fault }];
    } finally {
      await running.stop();
    }
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return [{ server: server.name, endpoint: null, seen: '', fault }];
  }
}

function observe(
  { protocol, address, port, host = HOST }: Endpoint,
  withPosture: boolean,
  signal: AbortSignal,
): Promise<Observation> {
  const probe = createProbe({
    resolver: { resolve: () => Promise.resolve({ ok: true, addresses: [address] }) },
    policy: createAddressPolicy(['127.0.0.0/8'], () => []),
    sources: NO_SOURCES,
    now: Date.now,
  });
  return probe.observe({ host, port, protocol }, { signal, trustStore, withPosture });
}

async function check(endpoint: Endpoint, signal: AbortSignal): Promise<Pick<Outcome, 'seen' | 'fault'>> {
  const { protocol, port, host = HOST, alpn, otherWithoutAlpn, servesExpiredRsa = false, fails } = endpoint;
  const target = { host, port, protocol };
  const observation = await observe(endpoint, servesExpiredRsa || otherWithoutAlpn !== undefined, signal);
  const verdict = judge(observation, Date.now(), trustStore);
  const { failure, findings, leafFingerprint, trusted } = describeVerdict(verdict, target);
  const seen = tlsOf(observation);
  if (fails !== undefined) {
    const message = failure?.message ?? 'It read a certificate.';
    return {
      seen,
      fault: message.includes(fails) ? null : `The check does not say “${fails}”, but: ${message}`,
    };
  }
  if (failure !== null) return { seen, fault: `${failure.message} (${detailOf(observation)})` };
  if (leafFingerprint !== leaf.fingerprint) return { seen, fault: 'The server sent another certificate.' };
  const messages = findings.map(({ message }) => message).join(' ');
  if (!trusted) return { seen, fault: messages };
  const { http, addresses } = observation;
  if (protocol === 'https' && http?.outcome !== 'answered')
    return { seen, fault: `No answer by HTTP: ${http?.reason ?? 'not asked'}.` };
  const [agreed] = addresses.flatMap((one) => (one.outcome === 'handshake' ? [one.alpn] : []));
  if (alpn !== undefined && agreed !== alpn)
    return { seen, fault: `The server agreed on ${agreed} by ALPN.` };
  if (otherWithoutAlpn !== undefined && !messages.includes(`get another certificate: ${otherWithoutAlpn}`))
    return { seen, fault: `No warning about ${otherWithoutAlpn}. ${messages}` };
  return { seen, fault: servesExpiredRsa ? postureFault(verdict) : null };
}

/** Returns why the posture is wrong. Null if it found the expired RSA certificate and tested everything. */
function postureFault({ posture }: Verdict): string | null {
  if (posture === null) return 'The posture was not checked.';
  const untested = untestedPosture(posture);
  if (untested.length > 0) return `Not tested: ${untested.join('; ')}.`;
  const found = posture.findings.map(({ code, keyType }) => `${code} ${keyType}`);
  return found.join() === 'expired rsa' ? null : `Found ${found.join(', ') || 'nothing'}.`;
}

function tlsOf({ addresses }: Observation): string {
  const [first] = addresses;
  return first?.outcome === 'handshake'
    ? [first.tlsVersion, first.group, first.alpn].filter((one) => one !== null).join(' ')
    : '';
}

function detailOf({ addresses }: Observation): string {
  const [first] = addresses;
  return first?.outcome === 'failed' ? `${first.stage}: ${first.detail ?? first.reason}` : '';
}

/** Returns a line for each endpoint, followed by its fault and, with `withLogs`, its log lines. The last line has the totals. */
export function formatOutcomes(outcomes: readonly Outcome[], withLogs: boolean): string {
  const rows = outcomes.map(({ server, endpoint, seen, left = '' }) => [
    server,
    endpoint?.protocol ?? '',
    endpoint === null ? '' : `${endpoint.address}:${endpoint.port}`,
    left,
    seen,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  const lines = outcomes.flatMap(({ fault, logged = '' }, index) => [
    (rows[index] ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
    ...(fault === null ? [] : [`  NOT AS EXPECTED: ${fault}`]),
    ...(withLogs ? [logged] : []),
  ]);
  const good = outcomes.filter(({ fault }) => fault === null).length;
  return [...lines, `${good} of ${outcomes.length} endpoints are as expected`, ''].join('\n');
}
