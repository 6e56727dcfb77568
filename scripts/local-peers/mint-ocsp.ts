import { createHash } from 'node:crypto';

import { extensionDer } from './certificate-extensions.ts';
import type { RawExtension } from './certificate-extensions.ts';
import {
  generalizedTime,
  integer,
  nothing,
  objectIdentifier,
  octetString,
  sequence,
  tagged,
  tlv,
} from './der-writer.ts';
import { signedDer } from './mint.ts';
import type { Hash, Instant, KeyPair, MintedCertificate } from './mint.ts';
import { HOUR_MS } from '../../contract/durations.ts';

type IdHash = 'sha1' | 'sha256' | 'sha384' | 'sha512';
type Authority = Pick<MintedCertificate, 'key' | 'subjectDer'>;

export interface OcspResponseOptions {
  status?: 'good' | 'revoked' | 'unknown';
  /** The number of a CRLReason. */
  reason?: number;
  revokedAt?: Instant;
  /** From an hour ago for a week when absent; `nextUpdate: null` leaves it out. */
  thisUpdate?: Instant;
  nextUpdate?: Instant | null;
  producedAt?: Instant;
  /** A delegated responder, whose certificate comes along. */
  responder?: MintedCertificate;
  /** How the responder is named; by its name when absent. */
  named?: 'name' | 'key';
  /** The hash of the certificate's id; SHA-1 when absent. */
  idHash?: IdHash;
  /** Signs in place of whom the response names. */
  signer?: KeyPair;
  hash?: Hash;
  corruptSignature?: boolean;
  extensions?: readonly RawExtension[];
}

const BASIC = '1.3.6.1.5.5.7.48.1.1';
const ID_HASHES: Record<IdHash, string> = {
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
};

/** DER of an OCSPResponse that its authority gives of one of its certificates; faults only where asked for. */
export function mintOcspResponse(
  authority: Authority,
  certificate: Pick<MintedCertificate, 'serialNumber'>,
  options: OcspResponseOptions = {},
): Buffer {
  const { responder, extensions = [] } = options;
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
        sequence(singleResponse(authority, certificate.serialNumber, options)),
        ...(extensions.length === 0 ? [] : [tagged(1, true, sequence(...extensions.map(extensionDer)))]),
      ),
    certificates,
  );
  return sequence(status(0), tagged(0, true, sequence(objectIdentifier(BASIC), octetString(basic))));
}

/** DER of an OCSPResponse with an error status: 1 malformedRequest, 2 internalError, 3 tryLater, 5 sigRequired, 6 unauthorized. */
export function mintOcspError(code: 1 | 2 | 3 | 5 | 6): Buffer {
  return sequence(status(code));
}

function status(code: number): Buffer {
  return tlv(0x0a, Buffer.from([code]));
}

function singleResponse(authority: Authority, serialNumber: bigint, options: OcspResponseOptions): Buffer {
  const { idHash = 'sha1', thisUpdate, nextUpdate = Date.now() + 168 * HOUR_MS } = options;
  return sequence(
    sequence(
      sequence(objectIdentifier(ID_HASHES[idHash]), nothing()),
      octetString(createHash(idHash).update(authority.subjectDer).digest()),
      octetString(keyHash(authority.key, idHash)),
      integer(serialNumber),
    ),
    certificateStatus(options),
    generalizedTime(Number(thisUpdate ?? Date.now() - HOUR_MS)),
    ...(nextUpdate === null ? [] : [tagged(0, true, generalizedTime(Number(nextUpdate)))]),
  );
}

function certificateStatus({ status: kind = 'good', reason, revokedAt }: OcspResponseOptions): Buffer {
  if (kind !== 'revoked') return tagged(kind === 'good' ? 0 : 2, false);
  return tagged(
    1,
    true,
    generalizedTime(Number(revokedAt ?? Date.now() - 2 * HOUR_MS)),
    ...(reason === undefined ? [] : [tagged(0, true, tlv(0x0a, Buffer.from([reason])))]),
  );
}

/** Of the bits of the key alone: the last BIT STRING of SubjectPublicKeyInfo, which the point or the two numbers fill. */
function keyHash({ publicKey }: KeyPair, algorithm: IdHash): Buffer {
  const info = publicKey.export({ type: 'spki', format: 'der' });
  const header = info[1] === 0x82 ? 4 : info[1] === 0x81 ? 3 : 2;
  const algorithmEnd = header + 2 + (info[header + 1] ?? 0);
  const sizeOctets = (info[algorithmEnd + 1] ?? 0) >= 0x80 ? (info[algorithmEnd + 1] ?? 0) & 0x7f : 0;
  return createHash(algorithm)
    .update(info.subarray(algorithmEnd + 2 + sizeOctets + 1))
    .digest();
}
