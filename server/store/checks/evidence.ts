import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import type { Observation } from '../../core/index.ts';
import type { MonitorKey } from '../monitors/monitor-change.ts';
import type { Tables } from '../schema/tables.ts';
import { storedJson } from '../db/stored-json.ts';
import { z } from 'zod';

/** An observation in the form in which it is stored. */
export interface Evidence {
  /** Equal for checks that saw the same chains and failures, whatever their addresses, order and timing. */
  id: string;
  /** Includes the posture, which only some checks examine. */
  hasPosture: boolean;
  /** Plain data with fingerprints instead of DER, which `certificates` stores once. */
  observation: unknown;
  /** Keyed by fingerprint. */
  ders: Map<string, Uint8Array>;
  /** The role of each certificate; leaves in the order of the addresses. */
  roles: Map<string, 'leaf' | 'chain' | 'beside'>;
  /** The certificates that every such check sees; the others come only with the posture. */
  usual: ReadonlySet<string>;
}

/** Replaces DER by fingerprints, and staples by their length: the revocation evidence has what they said. */
export function evidenceOf(observation: Observation): Evidence {
  const ders: Evidence['ders'] = new Map();
  const roles: Evidence['roles'] = new Map();
  const keep = (der: Uint8Array, role: 'leaf' | 'chain' | 'beside'): string => {
    const fingerprint = createHash('sha256').update(der).digest('hex');
    ders.set(fingerprint, der);
    const known = roles.get(fingerprint);
    if (known === undefined || RANK[role] < RANK[known]) roles.set(fingerprint, role);
    return fingerprint;
  };
  const addresses = observation.addresses.map((address) =>
    address.outcome === 'failed'
      ? address
      : {
          ...address,
          presentedChain: address.presentedChain.map((der, index) =>
            keep(der, index === 0 ? 'leaf' : 'chain'),
          ),
          staple: address.staple?.byteLength ?? null,
        },
  );
  const authorities = observation.authorities.map(({ der, source, url }) => ({
    fingerprint: keep(der, 'beside'),
    source,
    url,
  }));
  const usual = new Set(ders.keys());
  const posture = observation.posture && {
    ...observation.posture,
    alternates: observation.posture.alternates.map((alternate) => ({
      ...alternate,
      presentedChain: alternate.presentedChain.map((der) => keep(der, 'beside')),
    })),
  };
  const stored = { ...observation, addresses, authorities, posture };
  return {
    id: evidenceId(stored),
    hasPosture: posture !== null,
    observation: stored,
    ders,
    roles,
    usual,
  };
}

const RANK = { leaf: 0, chain: 1, beside: 2 };

/** The part of a stored observation that identifies what the endpoint served. */
const OBSERVATION = z.object({
  resolution: z
    .object({ ok: z.boolean(), stage: z.string().optional(), reason: z.string().optional() })
    .optional(),
  addresses: z
    .array(
      z.object({
        presentedChain: z.array(z.string()).optional(),
        stage: z.string().optional(),
        reason: z.string().optional(),
      }),
    )
    .optional(),
  authorities: z.array(z.object({ fingerprint: z.string() })).optional(),
});
export type StoredObservation = z.infer<typeof OBSERVATION>;
export const readObservation = storedJson('an observation', OBSERVATION);

/** Ignores addresses: a name may resolve to others each time and serve the same. */
export function evidenceId({ resolution, addresses = [], authorities = [] }: StoredObservation): string {
  const shown = addresses.map(({ presentedChain, stage, reason }) =>
    JSON.stringify(presentedChain ?? [stage, reason]),
  );
  const said = [
    resolution?.ok === false ? [resolution.stage, resolution.reason] : null,
    [...new Set(shown)].toSorted(),
    authorities.map(({ fingerprint }) => fingerprint).toSorted(),
  ];
  return shortDigest(said);
}

/** Returns 128 bits in hex, enough to distinguish the rows of one monitor. */
export const shortDigest = (said: unknown): string =>
  createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32);

/** Stores evidence on first sight. Replaces it only by evidence that includes the posture. */
export async function keepEvidence(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  { evidence, observation, now }: { evidence: Evidence; observation: string; now: number },
): Promise<void> {
  await trx
    .insertInto('evidence')
    .values({
      account_id: accountId,
      monitor_id: monitorId,
      id: evidence.id,
      first_seen_at: now,
      observation,
    })
    .onConflict((conflict) => {
      const known = conflict.columns(['account_id', 'monitor_id', 'id']);
      return evidence.hasPosture ? known.doUpdateSet({ observation }) : known.doNothing();
    })
    .execute();
}
