import { createHash } from 'node:crypto';
import { extensionDer, type RawExtension, timestampExtension } from './certificate-extensions.ts';
import {
  derNull,
  generalizedTime,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  tagged,
  tlv,
} from './der-writer.ts';
import { type Hash, type Instant, type KeyPair, type MintedCertificate, signedDer } from './mint.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

type IdHash = 'sha1' | 'sha256' | 'sha384' | 'sha512';
type Authority = Pick<MintedCertificate, 'key' | 'subjectDer'>;

export interface SingleResponseOptions {
  status?: 'good' | 'revoked' | 'unknown';
  /** CRLReason code (RFC 5280 §5.3.1). */
  reason?: number;
  revokedAt?: Instant;
  /** Times of the response. Defaults: an hour ago, and in a week. If `nextUpdate` is null, the response has none. */
  thisUpdate?: Instant;
  nextUpdate?: Instant | null;
  /** SCTs about the certificate, as `mint-log.ts` signs them. */
  stapledTimestamps?: readonly Uint8Array[];
}

export interface OcspResponseOptions extends SingleResponseOptions {
  /** Further single responses about the same certificate. They come before the one that the other options describe. */
  before?: readonly SingleResponseOptions[];
  producedAt?: Instant;
  /** Delegated responder, whose certificate the response contains. Default: the authority itself responds. */
  responder?: MintedCertificate;
  /** Whether the responder id is its name (default) or the hash of its key. */
  named?: 'name' | 'key';
  /** Hash algorithm of the CertID. Default: SHA-1. */
  idHash?: IdHash;
  /** Key that signs instead of the responder's key. */
  signer?: KeyPair;
  hash?: Hash;
  /** OID to write as the signature algorithm. Default: the OID of the actual signature. */
  signatureOid?: string;
  corruptSignature?: boolean;
  extensions?: readonly RawExtension[];
}

const STAPLED_TIMESTAMPS = '1.3.6.1.4.1.11129.2.4.5';
const BASIC = '1.3.6.1.5.5.7.48.1.1';
const ID_HASHES: Record<IdHash, string> = {
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
};

/** Returns the DER of an OCSPResponse about one certificate of the authority. It is valid unless the options ask for a fault. */
export function mintOcspResponse(
  authority: Authority,
  certificate: Pick<MintedCertificate, 'serialNumber'>,
  options: OcspResponseOptions = {},
): Buffer {
  const { responder, extensions = [], before = [] } = options;
  const speaker = responder ?? authority;
  const certificates = responder === undefined ? [] : [tagged(0, true, sequence(responder.der))];
  const basic = signedDer(
    options.signer ?? speaker.key,
    options,
    () =>
      sequence(
        options.named === 'key'
          ? tagged(2, true, octetString(keyHash(speaker.key, 'sha1')))
          : tagged(1, true, speaker.subjectDer),
        generalizedTime(Number(options.producedAt ?? Date.now() - HOUR_MS)),
        sequence(
          ...[...before, options].map((one) =>
            singleResponse(authority, certificate.serialNumber, one, options.idHash),
          ),
        ),
        ...(extensions.length === 0 ? [] : [tagged(1, true, sequence(...extensions.map(extensionDer)))]),
      ),
    certificates,
  );
  return sequence(status(0), tagged(0, true, sequence(objectIdentifier(BASIC), octetString(basic))));
}

/**
 * Returns the DER of an OCSPResponse with an error status: 1 malformedRequest, 2 internalError, 3 tryLater, 5 sigRequired,
 * 6 unauthorized (RFC 6960 §4.2.1).
 */
export function mintOcspError(code: 1 | 2 | 3 | 5 | 6): Buffer {
  return sequence(status(code));
}

function status(code: number): Buffer {
  return tlv(0x0a, Buffer.from([code]));
}

function singleResponse(
  authority: Authority,
  serialNumber: bigint,
  options: SingleResponseOptions,
  idHash: IdHash = 'sha1',
): Buffer {
  const { thisUpdate, nextUpdate = Date.now() + 168 * HOUR_MS, stapledTimestamps: stamps } = options;
  return sequence(
    sequence(
      sequence(objectIdentifier(ID_HASHES[idHash]), derNull()),
      octetString(createHash(idHash).update(authority.subjectDer).digest()),
      octetString(keyHash(authority.key, idHash)),
      integer(serialNumber),
    ),
    certificateStatus(options),
    generalizedTime(Number(thisUpdate ?? Date.now() - HOUR_MS)),
    ...(nextUpdate === null ? [] : [tagged(0, true, generalizedTime(Number(nextUpdate)))]),
    ...(stamps === undefined
      ? []
      : [tagged(1, true, sequence(extensionDer(timestampExtension(stamps, STAPLED_TIMESTAMPS))))]),
  );
}

function certificateStatus({ status: kind = 'good', reason, revokedAt }: SingleResponseOptions): Buffer {
  if (kind !== 'revoked') return tagged(kind === 'good' ? 0 : 2, false);
  return tagged(
    1,
    true,
    generalizedTime(Number(revokedAt ?? Date.now() - 2 * HOUR_MS)),
    ...(reason === undefined ? [] : [tagged(0, true, tlv(0x0a, Buffer.from([reason])))]),
  );
}

/** Returns the hash of the public key bits without tag, length and count of unused bits (RFC 6960 §4.1.1). */
function keyHash({ publicKey }: KeyPair, algorithm: IdHash): Buffer {
  const info = publicKey.export({ type: 'spki', format: 'der' });
  const header = info[1] === 0x82 ? 4 : info[1] === 0x81 ? 3 : 2;
  const algorithmEnd = header + 2 + (info[header + 1] ?? 0);
  const sizeOctets = (info[algorithmEnd + 1] ?? 0) >= 0x80 ? (info[algorithmEnd + 1] ?? 0) & 0x7f : 0;
  return createHash(algorithm)
    .update(info.subarray(algorithmEnd + 2 + sizeOctets + 1))
    .digest();
}
