import { randomBytes } from 'node:crypto';
import { authorityKeyIdentifier, extensionDer, type RawExtension } from './certificate-extensions.ts';
import { integer, namedBits, sequence, tagged, time, tlv } from './der-writer.ts';
import {
  type Hash,
  type Instant,
  keyIdentifier,
  type KeyPair,
  type MintedCertificate,
  signedDer,
} from './mint.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

/** Entry of a CRL. A minted certificate may be passed as one. */
export interface Revoked {
  serialNumber: bigint;
  revokedAt?: Instant;
  /** CRLReason code (RFC 5280 §5.3.1), for example 1 for keyCompromise. */
  reason?: number;
  extensions?: readonly RawExtension[];
}

export interface CrlOptions {
  revoked?: readonly Revoked[];
  /** Number of entries with random serial numbers of 18 octets, added before `revoked`. */
  fillers?: number;
  /** True to write a list of entries although it is empty. */
  emptyList?: boolean;
  /** Times of the CRL. Defaults: an hour ago, and in a week. If `nextUpdate` is null, the CRL has none. */
  thisUpdate?: Instant;
  nextUpdate?: Instant | null;
  /** Fields of the IssuingDistributionPoint, as are the next three. It is omitted if none of them is given. */
  url?: string | readonly string[];
  only?: 'user' | 'authority' | 'attribute';
  someReasons?: boolean;
  indirect?: boolean;
  /** Base CRL number of a delta CRL (RFC 5280 §5.2.4); absent for a complete CRL. */
  deltaOf?: bigint;
  /** CRLNumber, 1 by default. If null, the CRL has none. */
  number?: bigint | null;
  extraExtensions?: readonly RawExtension[];
  /** True for a CRL of version 1, which has no extensions. */
  plain?: boolean;
  /** Key that signs instead of the authority's. The issuer name stays that of the authority. */
  signer?: KeyPair;
  issuerDer?: Uint8Array;
  hash?: Hash;
  /** OID to write as the signature algorithm. Default: the OID of the actual signature. */
  signatureOid?: string;
  corruptSignature?: boolean;
}

const IDP = '2.5.29.28';
const ONLY = { user: 1, authority: 2, attribute: 5 } as const;
const TRUE = Buffer.from([0xff]);

/** Returns the DER of a CRL of the authority. The CRL is valid unless the options ask for a fault. */
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
      ...(revoked.length > 0 || options.emptyList === true ? [sequence(revoked)] : []),
      ...(options.plain === true ? [] : [tagged(0, true, sequence(...extensions(options, key)))]),
    ),
  );
}

/**
 * Returns entries with random serial numbers. Encodes only a few and copies these, because encoding 100,000 one by one takes
 * too long.
 */
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
    // Skip tag and length of the entry and of the serial number, and the two leading octets that keep the number positive.
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

/** Returns the fields of the IssuingDistributionPoint in the order of their tags (RFC 5280 §5.2.5). */
function scopeFields({ url, only, someReasons, indirect }: CrlOptions): Buffer[] {
  const urls = typeof url === 'string' ? [url] : (url ?? []);
  const names = urls.map((one) => tagged(6, false, Buffer.from(one, 'latin1')));
  const flag = (number: number): Buffer[] => [tagged(number, false, TRUE)];
  return [
    ...(names.length === 0 ? [] : [tagged(0, true, tagged(0, true, ...names))]),
    ...(only === 'user' || only === 'authority' ? flag(ONLY[only]) : []),
    // BIT STRING with an implicit tag that contains only keyCompromise.
    ...(someReasons === true ? [tagged(3, false, namedBits([1]).subarray(2))] : []),
    ...(indirect === true ? flag(4) : []),
    ...(only === 'attribute' ? flag(ONLY.attribute) : []),
  ];
}
