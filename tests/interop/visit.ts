import { chmodSync } from 'node:fs';
import { join } from 'node:path';

import type { Observation } from '../../server/core/index.ts';
import { describeVerdict, judge } from '../../server/core/index.ts';
import { createAddressPolicy } from '../../server/egress/index.ts';
import { createTrustStore } from '../../server/pki/index.ts';
import { createProbe, NO_SOURCES } from '../../server/probe/index.ts';
import { mintAuthority } from '../../scripts/local-peers/mint.ts';
import { prepareQuarters } from './daemon.ts';
import type { Entrance, ServerKind } from './servers.ts';

export interface Outcome {
  server: string;
  /** null where it did not start. */
  entrance: Entrance | null;
  /** What was seen there. */
  seen: string;
  /** null: the certificate was seen, and trusted. */
  fault: string | null;
}

const HOST = 'interop.test';
const root = mintAuthority({ commonName: 'Interop Root' });
const leaf = root.intermediate({ commonName: 'Interop Intermediate' }).issue({ dnsNames: [HOST] });
const trustStore = createTrustStore([root.der]);

/** Starts one server, looks at each of its entrances as at a user's endpoint, and stops it. */
export async function visit(server: ServerKind, folder: string, signal: AbortSignal): Promise<Outcome[]> {
  chmodSync(folder, 0o755);
  try {
    const quarters = prepareQuarters(join(folder, server.name), leaf, root.certificatePem);
    const running = await server.start(quarters, HOST);
    try {
      const outcomes: Outcome[] = [];
      for (const entrance of running.entrances)
        outcomes.push({ server: server.name, entrance, ...(await look(entrance, signal)) });
      return outcomes;
    } finally {
      await running.stop();
    }
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return [{ server: server.name, entrance: null, seen: '', fault }];
  }
}

async function look(
  { protocol, address, port }: Entrance,
  signal: AbortSignal,
): Promise<Pick<Outcome, 'seen' | 'fault'>> {
  const probe = createProbe({
    resolver: { resolve: () => Promise.resolve({ ok: true, addresses: [address] }) },
    policy: createAddressPolicy(['127.0.0.0/8'], () => []),
    sources: NO_SOURCES,
    now: Date.now,
  });
  const endpoint = { host: HOST, port, protocol };
  const observation = await probe.observe(endpoint, { signal, trustStore, withPosture: false });
  const verdict = judge(observation, Date.now(), trustStore);
  const { failure, findings, leafFingerprint, trusted } = describeVerdict(verdict, endpoint);
  const seen = tlsOf(observation);
  if (failure !== null) return { seen, fault: `${failure.message} (${detailOf(observation)})` };
  if (leafFingerprint !== leaf.fingerprint) return { seen, fault: 'It shows another certificate.' };
  if (!trusted) return { seen, fault: findings.map(({ message }) => message).join(' ') };
  return { seen, fault: null };
}

function tlsOf({ addresses }: Observation): string {
  const [first] = addresses;
  return first?.outcome === 'handshake' ? `${first.tlsVersion} ${first.group ?? ''}`.trim() : '';
}

function detailOf({ addresses }: Observation): string {
  const [first] = addresses;
  return first?.outcome === 'failed' ? `${first.stage}: ${first.detail ?? first.reason}` : '';
}

/** A line for each entrance, and one that counts them. */
export function formatOutcomes(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ server, entrance, seen, fault }) => [
    server,
    entrance?.protocol ?? '',
    entrance === null ? '' : `${entrance.address}:${entrance.port}`,
    seen,
    fault ?? 'seen and trusted',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  const good = outcomes.filter(({ fault }) => fault === null).length;
  return [...lines, `${good} of ${outcomes.length} entrances as they should be`, ''].join('\n');
}
