import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import type { Observation } from '../../core/observation.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { storedJson } from '../db/stored-json.ts';
import { z } from 'zod';

/** An observation in its stored form, and the certificates that are stored separately. */
export interface Evidence {
  /**
   * Digest of 128 bits in hex; see `evidenceId`. Checks have the same id if they differ only in addresses, order, times or
   * posture.
   */
  id: string;
  /** True if the observation includes the posture, which only some checks examine. */
  hasPosture: boolean;
  /** The observation as JSON data, with fingerprints instead of DER. The table `certificates` stores each DER once. */
  observation: unknown;
  /** DER of each certificate by fingerprint. */
  ders: Map<string, Uint8Array>;
  /**
   * Role of each certificate by fingerprint; leaves are in the order of the addresses. `beside`: the certificate is in no chain of the
   * usual handshake. It was fetched, or only other handshakes of the posture got it.
   */
  roles: Map<string, 'leaf' | 'chain' | 'beside'>;
  /**
   * Fingerprints that every check with this evidence sees. The other certificates are seen only by checks that examine the
   * posture.
   */
  inEveryCheck: ReadonlySet<string>;
}

/**
 * Returns the stored form of an observation: fingerprints replace DER, and the length replaces a staple, because the revocation
 * evidence already has its content.
 */
export function evidenceOf(observation: Observation): Evidence {
  const ders: Evidence['ders'] = new Map();
  const roles: Evidence['roles'] = new Map();
  const keep = (der: Uint8Array, role: 'leaf' | 'chain' | 'beside'): string => {
    const fingerprint = createHash('sha256').update(der).digest('hex');
    ders.set(fingerprint, der);
    const known = roles.get(fingerprint);
    if (known === undefined || ROLE_RANK[role] < ROLE_RANK[known]) roles.set(fingerprint, role);
    return fingerprint;
  };
  const addresses = observation.addresses.map((address) =>
    address.outcome === 'failed'
      ? // Remove the server's reply. Only the verdict of the last check keeps it, for the report.
        { ...address, refusal: undefined }
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
  const inEveryCheck = new Set(ders.keys());
  const posture = observation.posture && {
    ...observation.posture,
    alternates: observation.posture.alternates.map((alternate) => ({
      ...alternate,
      presentedChain: alternate.presentedChain.map((der) => keep(der, 'beside')),
      staple: alternate.staple?.byteLength ?? null,
    })),
    ...(observation.posture.withoutAlpn && {
      withoutAlpn: {
        ...observation.posture.withoutAlpn,
        presentedChain: observation.posture.withoutAlpn.presentedChain.map((der) => keep(der, 'beside')),
      },
    }),
  };
  const stored = { ...observation, addresses, authorities, posture };
  return {
    id: evidenceId(stored),
    hasPosture: posture !== null,
    observation: stored,
    ders,
    roles,
    inEveryCheck,
  };
}

const ROLE_RANK = { leaf: 0, chain: 1, beside: 2 };

/** Schema of the part of a stored observation that identifies what the endpoint served. */
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

/**
 * Returns the digest of chains, failures and fetched CA certificates. It ignores addresses: a name may resolve to different
 * addresses that serve the same chain.
 */
function evidenceId({ resolution, addresses = [], authorities = [] }: StoredObservation): string {
  const results = addresses.map(({ presentedChain, stage, reason }) =>
    JSON.stringify(presentedChain ?? [stage, reason]),
  );
  const parts = [
    resolution?.ok === false ? [resolution.stage, resolution.reason] : null,
    [...new Set(results)].toSorted(),
    authorities.map(({ fingerprint }) => fingerprint).toSorted(),
  ];
  return shortDigest(parts);
}

/** Returns the first 128 bits of the SHA-256 of a value's JSON in hex, enough to distinguish the rows of one monitor. */
export const shortDigest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/** Inserts evidence. Replaces a row with the same id only if the new evidence includes the posture. */
export async function saveEvidence(
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
