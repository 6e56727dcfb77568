import type { SecureContext } from 'node:tls';
import { KEY_TYPES, type KeyType } from '../../contract/check-words.ts';
import type { AlternateChain, HandshakeObservation, PostureObservation } from '../core/observation.ts';
import { tryParseCertificate } from '../pki/certificate.ts';
import { contextOf } from './address-probe.ts';
import { type ConnectOptions, type HandshakeEvidence, isPostQuantum, leafKeyType } from './handshake.ts';
import { firefoxContext } from './client-offers.ts';
import type { Attempt, Trial } from './posture-trial.ts';
import { browserContext, signatureContext } from './tls-contexts.ts';

type Certificates = Pick<PostureObservation, 'alternates' | 'untestedKeyTypes'>;

/**
 * The key types that each handshake asks for: ECDSA, RSA, or all rarer types together. A server that has only RSA and ECDSA
 * certificates gets two handshakes; each certificate of a rarer type adds one.
 */
const KEY_GROUPS: readonly (readonly KeyType[])[] = [
  ['ecdsa'],
  ['rsa'],
  KEY_TYPES.filter((keyType) => keyType !== 'ecdsa' && keyType !== 'rsa'),
];

/**
 * Requests the leaf of each key type that the usual handshake did not return. `isLimited`: few handshakes may fail, so with TLS 1.3 one handshake
 * asks for all types at once. In TLS 1.2 it cannot, because the cipher depends on the type.
 */
export async function requestAlternates(
  seen: HandshakeObservation,
  attempt: Attempt,
  isLimited: boolean,
): Promise<Certificates> {
  const usual = leafKeyType(seen.presentedChain);
  const isTls13 = seen.tlsVersion === 'TLSv1.3';
  const groups = isLimited && isTls13 ? [KEY_GROUPS.flat()] : KEY_GROUPS;
  const others = groups
    .map((group) => group.filter((keyType) => keyType !== usual))
    .filter((group) => group.length > 0);
  // A server may have ECDSA keys on several curves, which have signatures of their own in TLS 1.3 only.
  if (usual === 'ecdsa' && isTls13) others.at(-1)?.push('ecdsa');
  const settings = {
    withoutCurve: usual === 'ecdsa' ? leafCurve(seen.presentedChain) : null,
    withMlKem: isPostQuantum(seen.group),
  };
  const found = await Promise.all(
    others.map((group) =>
      requestLeaves(group, seen, (keyTypes) => signatureContext({ keyTypes, ...settings }), attempt),
    ),
  );
  return {
    alternates: found.flatMap(({ leaves }) => leaves),
    untestedKeyTypes: found.flatMap(({ untested }) => untested.filter((keyType) => keyType !== usual)),
  };
}

/**
 * Returns the chain for clients that send no ALPN if its leaf is another one: a proxy may choose the service by ALPN.
 * Confirms it with three more handshakes, because several servers with different certificates may answer in rotation.
 */
export async function requestChainWithoutAlpn(
  seen: HandshakeObservation,
  attempt: Attempt,
): Promise<PostureObservation['withoutAlpn'] | null> {
  const usual = contextOf(seen, 'https');
  const chain = async (
    alpn?: Pick<ConnectOptions, 'alpn'>,
    context: SecureContext = usual,
  ): Promise<Uint8Array[] | null> => {
    const trial = await attempt(context, alpn);
    return trial.state === 'accepted' ? trial.evidence.presentedChain : null;
  };
  const hasLeafOf = (one: Uint8Array[] | null, other: Uint8Array[]): boolean =>
    one !== null && hasSameLeaf(one, other);
  // The offer of Firefox also shows whether the server chooses a certificate for it.
  const presentedChain = await chain({ alpn: [] }, usual === browserContext ? firefoxContext() : usual);
  if (presentedChain === null || hasLeafOf(presentedChain, seen.presentedChain)) return null;
  // Twice each, so that strict rotation is not mistaken for a choice by ALPN.
  const isSteady =
    hasLeafOf(await chain({ alpn: [] }), presentedChain) &&
    hasLeafOf(await chain(), seen.presentedChain) &&
    hasLeafOf(await chain(), seen.presentedChain);
  return isSteady ? { address: seen.address, presentedChain } : null;
}

/** Returns what the posture keeps of a handshake that got another leaf. */
export function alternateOf(
  keyType: KeyType,
  { presentedChain, tlsVersion, cipher, staple, alpn }: HandshakeEvidence,
  { address }: HandshakeObservation,
): AlternateChain {
  return { keyType, address, presentedChain, tlsVersion, cipher, staple, alpn };
}

/** Returns whether two chains begin with the same certificate. */
export function hasSameLeaf([one]: readonly Uint8Array[], [other]: readonly Uint8Array[]): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

function leafCurve([leaf]: readonly Uint8Array[]): string | null {
  return leaf === undefined ? null : (tryParseCertificate(leaf)?.key.curve ?? null);
}

interface Leaves {
  leaves: AlternateChain[];
  untested: KeyType[];
}

/** Requests a leaf of any of these key types, then again without the type received, until the server sends no further one. */
async function requestLeaves(
  keyTypes: readonly KeyType[],
  seen: HandshakeObservation,
  contextFor: (keyTypes: readonly KeyType[]) => SecureContext | null,
  attempt: Attempt,
): Promise<Leaves> {
  const isKnown = (keyType: KeyType): boolean => contextFor([keyType]) !== null;
  const unknown = keyTypes.filter((keyType) => !isKnown(keyType));
  const leaves: AlternateChain[] = [];
  for (let left = keyTypes.filter(isKnown); left.length > 0;) {
    const context = contextFor(left);
    const trial: Trial = context === null ? { state: 'unknown' } : await attempt(context);
    if (trial.state === 'unknown') return { leaves, untested: [...left, ...unknown] };
    if (trial.state !== 'accepted') break;
    const { presentedChain } = trial.evidence;
    const keyType = leafKeyType(presentedChain);
    // Before TLS 1.3 a server may choose a key exchange without a signature, or ignore the list, and send its usual leaf.
    if (keyType === null || !left.includes(keyType) || hasSameLeaf(presentedChain, seen.presentedChain))
      break;
    leaves.push(alternateOf(keyType, trial.evidence, seen));
    left = left.filter((one) => one !== keyType);
  }
  return { leaves, untested: unknown };
}
