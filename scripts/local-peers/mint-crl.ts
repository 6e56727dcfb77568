import { randomBytes } from 'node:crypto';

import { authorityKeyIdentifier, extensionDer } from './certificate-extensions.ts';
import type { RawExtension } from './certificate-extensions.ts';
import { integer, namedBits, sequence, tagged, time, tlv } from './der-writer.ts';
import { keyIdentifier, signedDer } from './mint.ts';
import type { Hash, Instant, KeyPair, MintedCertificate } from './mint.ts';
import { HOUR_MS } from '../../contract/durations.ts';

/** A minted certificate is one of these too. */
export interface Revoked {
  serialNumber: bigint;
  revokedAt?: Instant;
  /** The number of a CRLReason, for example 1 for keyCompromise. */
  reason?: number;
  extensions?: readonly RawExtension[];
}

export interface CrlOptions {
  revoked?: readonly Revoked[];
  /** As many entries with random serial numbers of 18 octets, before the others. */
  fillers?: number;
  /** From an hour ago for a week when absent; `nextUpdate: null` leaves it out. */
  thisUpdate?: Instant;
  nextUpdate?: Instant | null;
  /** What the IssuingDistributionPoint says; without any of these there is none. */
  url?: string | readonly string[];
  only?: 'user' | 'authority' | 'attribute';
  someReasons?: boolean;
  indirect?: boolean;
  /** Makes it a delta CRL to this number. */
  deltaOf?: bigint;
  /** `null` leaves the CRLNumber out. */
  number?: bigint | null;
  extraExtensions?: readonly RawExtension[];
  /** Version 1: no extensions at all. */
  plain?: boolean;
  /** Signs in place of the authority, under its name. */
  signer?: KeyPair;
  issuerDer?: Uint8Array;
  hash?: Hash;
  corruptSignature?: boolean;
}

const IDP = '2.5.29.28';
const ONLY = { user: 1, authority: 2, attribute: 5 } as const;
const TRUE = Buffer.from([0xff]);

/** DER of the authority's list of revoked certificates; faults only where asked for. */
export function mintCrl(
  authority: Pick<MintedCertificate, 'key' | 'subjectDer'>,
  options: CrlOptions = {},
): Buffer {
  const { thisUpdate = Date.now() - HOUR_MS, nextUpdate = Date.now() + 168 * HOUR_MS } = options;
  const revoked = Buffer.concat([
    fillers(options.fillers ?? 0, Number(thisUpdate)),
    ...(options.revoked ?? []).map((one) => entry(one, Number(thisUpdate))),
  ]);
  const key = options.signer ?? authority.key;
  return signedDer(key, options, (algorithm) =>
    sequence(
      ...(options.plain === true ? [] : [integer(1n)]),
      algorithm,
      options.issuerDer ?? authority.subjectDer,
      time(Number(thisUpdate)),
      ...(nextUpdate === null ? [] : [time(Number(nextUpdate))]),
      ...(revoked.length > 0 ? [sequence(revoked)] : []),
      ...(options.plain === true ? [] : [tagged(0, true, sequence(...extensions(options, key)))]),
    ),
  );
}

/** Made by copying: a large list would else take longer to mint than to test. */
function fillers(count: number, at: number): Buffer {
  const serialNumber = 0x2c01n << 128n;
  const kinds = [{ serialNumber, reason: 4 }, { serialNumber }, { serialNumber }, { serialNumber }].map(
    (one) => entry(one, at),
  );
  const list = Buffer.concat(
    Array.from({ length: count }, (_, index) => kinds[index % 4] ?? Buffer.alloc(0)),
  );
  const random = randomBytes(count * 16);
  let start = 0;
  for (let index = 0; index < count; index++) {
    // After the tags and lengths of the entry and its serial number, and the two octets that keep it positive.
    random.copy(list, start + 6, index * 16, index * 16 + 16);
    start += kinds[index % 4]?.length ?? 0;
  }
  return list;
}

function entry({ serialNumber, revokedAt, reason, extensions: more = [] }: Revoked, at: number): Buffer {
  const list = [
    ...(reason === undefined ? [] : [{ oid: '2.5.29.21', value: tlv(0x0a, Buffer.from([reason])) }]),
    ...more,
  ];
  return sequence(
    integer(serialNumber),
    time(Number(revokedAt ?? at - HOUR_MS)),
    ...(list.length > 0 ? [sequence(...list.map(extensionDer))] : []),
  );
}

function extensions(options: CrlOptions, key: KeyPair): Buffer[] {
  const { number = 1n, deltaOf } = options;
  const scope = scopeFields(options);
  const list: RawExtension[] = [
    authorityKeyIdentifier(keyIdentifier(key)),
    ...(number === null ? [] : [{ oid: '2.5.29.20', value: integer(number) }]),
    ...(deltaOf === undefined ? [] : [{ oid: '2.5.29.27', critical: true, value: integer(deltaOf) }]),
    ...(scope.length === 0 ? [] : [{ oid: IDP, critical: true, value: sequence(...scope) }]),
    ...(options.extraExtensions ?? []),
  ];
  return list.map(extensionDer);
}

/** Fields of IssuingDistributionPoint in the order of their tags. */
function scopeFields({ url, only, someReasons, indirect }: CrlOptions): Buffer[] {
  const urls = typeof url === 'string' ? [url] : (url ?? []);
  const names = urls.map((one) => tagged(6, false, Buffer.from(one, 'latin1')));
  const flag = (number: number): Buffer[] => [tagged(number, false, TRUE)];
  return [
    ...(names.length === 0 ? [] : [tagged(0, true, tagged(0, true, ...names))]),
    ...(only === 'user' || only === 'authority' ? flag(ONLY[only]) : []),
    // A BIT STRING with an implicit tag: keyCompromise alone.
    ...(someReasons === true ? [tagged(3, false, namedBits([1]).subarray(2))] : []),
    ...(indirect === true ? flag(4) : []),
    ...(only === 'attribute' ? flag(ONLY.attribute) : []),
  ];
}
