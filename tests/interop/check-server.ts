import { chmodSync } from 'node:fs';
import { join } from 'node:path';

import { DAY_MS } from '../../contract/durations.ts';
import type { Observation, Verdict } from '../../server/core/index.ts';
import { describeVerdict, judge, untestedPosture } from '../../server/core/index.ts';
import { createAddressPolicy } from '../../server/egress/index.ts';
import { createTrustStore } from '../../server/pki/index.ts';
import { createProbe, NO_SOURCES } from '../../server/probe/index.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { prepareFiles } from './daemon.ts';
import type { Endpoint, ServerKind } from './servers.ts';

export interface Outcome {
  server: string;
  /** null if the server did not start. */
  endpoint: Endpoint | null;
  /** TLS version, group and the protocol agreed by ALPN; empty without a handshake. */
  seen: string;
  /** null if the certificate was read and is trusted. */
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

/** Starts a server, checks each of its endpoints like that of a user, and stops it. */
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
      for (const endpoint of running.endpoints)
        outcomes.push({ server: server.name, endpoint, ...(await check(endpoint, signal)) });
      return outcomes;
    } finally {
      await running.stop();
    }
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return [{ server: server.name, endpoint: null, seen: '', fault }];
  }
}

async function check(
  { protocol, address, port, alpn, otherWithoutAlpn, servesExpiredRsa = false }: Endpoint,
  signal: AbortSignal,
): Promise<Pick<Outcome, 'seen' | 'fault'>> {
  const probe = createProbe({
    resolver: { resolve: () => Promise.resolve({ ok: true, addresses: [address] }) },
    policy: createAddressPolicy(['127.0.0.0/8'], () => []),
    sources: NO_SOURCES,
    now: Date.now,
  });
  const target = { host: HOST, port, protocol };
  const observation = await probe.observe(target, {
    signal,
    trustStore,
    withPosture: servesExpiredRsa || otherWithoutAlpn !== undefined,
  });
  const verdict = judge(observation, Date.now(), trustStore);
  const { failure, findings, leafFingerprint, trusted } = describeVerdict(verdict, target);
  const seen = tlsOf(observation);
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

/** Returns null if the posture check found the expired RSA certificate and tested everything. */
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

/** Returns a line for each endpoint and one with the totals. */
export function formatOutcomes(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ server, endpoint, seen, fault }) => [
    server,
    endpoint?.protocol ?? '',
    endpoint === null ? '' : `${endpoint.address}:${endpoint.port}`,
    seen,
    fault ?? 'trusted',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  const good = outcomes.filter(({ fault }) => fault === null).length;
  return [...lines, `${good} of ${outcomes.length} endpoints are trusted`, ''].join('\n');
}
