import { contextTag, type DerReader, onlyElement, TAG } from '../der/der.ts';
import { bitStringValue, countValue, objectIdentifier, timeValue } from '../der/der-values.ts';
import { type DistinguishedName, parseDistinguishedName } from '../names/distinguished-name.ts';
import { type Extensions, readExtensionList } from '../extension-list.ts';
import { type OcspCertificateId, readCertificateId } from './ocsp-request.ts';
import { PkiError } from '../pki-error.ts';
import { reasonName } from './revocation-status.ts';
import { parseSignatureAlgorithm, type SignatureAlgorithm } from '../signature.ts';

/** Maximum number of enclosed certificates. Real responders send fewer. */
const MAX_CERTIFICATES = 10;
const TAG_ENUMERATED = 0x0a;
const BASIC = '1.3.6.1.5.5.7.48.1.1';
const SUCCESSFUL = 0;
const TRY_LATER = 3;

/** A parsed BasicOCSPResponse; its signature is not verified yet. Times in ms UTC. */
export interface BasicOcspResponse {
  readonly responder: { readonly name: DistinguishedName } | { readonly keyHash: Uint8Array };
  readonly producedAt: number;
  readonly responses: readonly SingleResponse[];
  readonly extensions: Extensions;
  readonly signature: {
    readonly algorithm: SignatureAlgorithm;
    readonly signed: Uint8Array;
    readonly octets: Uint8Array;
  };
  /** DER of the enclosed certificates. */
  readonly certificates: readonly Uint8Array[];
}

export interface SingleResponse {
  readonly id: OcspCertificateId;
  readonly status: 'good' | 'revoked' | 'unknown';
  readonly revokedAt: number | null;
  readonly reason: string | null;
  readonly thisUpdate: number;
  readonly nextUpdate: number | null;
  readonly extensions: Extensions;
}

/** Parses an OCSPResponse (RFC 6960 §4.2.1). Returns the reason for an error status. Throws PkiError on malformed input. */
export function parseOcspResponse(der: Uint8Array): BasicOcspResponse | 'try_later' | 'responder_refused' {
  const outer = onlyElement(der, TAG.sequence).open();
  const status = outer.read(TAG_ENUMERATED).content;
  if (status.length !== 1) throw new PkiError('value', 'unknown status');
  const bytes = outer.optional(contextTag(0, 'constructed'));
  outer.end();
  if (status[0] === TRY_LATER) return 'try_later';
  if (status[0] !== SUCCESSFUL) return 'responder_refused';
  if (bytes === null) throw new PkiError('empty', 'successful status without a response');
  const typed = onlyElement(bytes.content, TAG.sequence).open();
  const type = objectIdentifier(typed.read());
  const response = typed.read(TAG.octetString).content;
  typed.end();
  if (type !== BASIC) throw new PkiError('value', 'unknown response type');
  return parseBasicResponse(response);
}

/** Extension of a SingleResponse with timestamps of Certificate Transparency logs (RFC 6962 §3.3). */
export const CERTIFICATE_TIMESTAMPS = '1.3.6.1.4.1.11129.2.4.5';
const ENCODED_CERTIFICATE_TIMESTAMPS = Buffer.from('060a2b06010401d679020405', 'hex');

/**
 * Returns the lists of timestamps of Certificate Transparency logs in an OCSPResponse, each with the certificate that it is about; none
 * if it is malformed. Nothing is verified.
 */
export function stapledTimestamps(der: Uint8Array): { id: OcspCertificateId; value: Uint8Array }[] {
  // Nearly all responses have none, and parsing one costs ten times as much as this search.
  if (!Buffer.from(der.buffer, der.byteOffset, der.length).includes(ENCODED_CERTIFICATE_TIMESTAMPS))
    return [];
  try {
    const response = parseOcspResponse(der);
    if (typeof response === 'string') return [];
    return response.responses.flatMap(({ id, extensions }) => {
      const list = extensions.get(CERTIFICATE_TIMESTAMPS);
      return list === undefined ? [] : { id, value: list.value };
    });
  } catch (error) {
    if (error instanceof PkiError) return [];
    throw error;
  }
}

function parseBasicResponse(der: Uint8Array): BasicOcspResponse {
  const outer = onlyElement(der, TAG.sequence).open();
  const signed = outer.read(TAG.sequence);
  const algorithm = parseSignatureAlgorithm(outer.read(TAG.sequence).encoded);
  const { unusedBits, octets } = bitStringValue(outer.read(TAG.bitString));
  if (unusedBits !== 0) throw new PkiError('der_bit_string', 'signature is not a whole number of bytes');
  const certificates = readCertificates(outer);
  outer.end();

  const data = signed.open();
  const version = data.optional(contextTag(0, 'constructed'));
  if (version !== null && countValue(onlyElement(version.content, TAG.integer)) !== 0) {
    throw new PkiError('version', 'unknown version');
  }
  const responder = readResponder(data);
  const producedAt = timeValue(data.read(TAG.generalizedTime));
  const list = data.enter(TAG.sequence);
  const responses: SingleResponse[] = [];
  while (!list.done) responses.push(readSingleResponse(list.enter(TAG.sequence)));
  const extensions = readExtensions(data);
  data.end();
  return {
    responder,
    producedAt,
    responses,
    extensions,
    signature: { algorithm, signed: signed.encoded, octets },
    certificates,
  };
}

function readCertificates(outer: DerReader): Uint8Array[] {
  const field = outer.optional(contextTag(0, 'constructed'));
  if (field === null) return [];
  const list = onlyElement(field.content, TAG.sequence).open();
  const certificates: Uint8Array[] = [];
  while (!list.done) {
    if (certificates.length >= MAX_CERTIFICATES) throw new PkiError('too_large', 'too many certificates');
    certificates.push(list.read(TAG.sequence).encoded);
  }
  return certificates;
}

function readResponder(data: DerReader): BasicOcspResponse['responder'] {
  if (data.nextTag === contextTag(1, 'constructed')) {
    const name = onlyElement(data.read().content, TAG.sequence);
    return { name: parseDistinguishedName(name.encoded) };
  }
  const key = data.read(contextTag(2, 'constructed'));
  return { keyHash: onlyElement(key.content, TAG.octetString).content };
}

function readSingleResponse(reader: DerReader): SingleResponse {
  const id = readCertificateId(reader);
  const status = readStatus(reader);
  const thisUpdate = timeValue(reader.read(TAG.generalizedTime));
  const next = reader.optional(contextTag(0, 'constructed'));
  const nextUpdate = next === null ? null : timeValue(onlyElement(next.content, TAG.generalizedTime));
  const extensions = readExtensions(reader);
  reader.end();
  return { id, ...status, thisUpdate, nextUpdate, extensions };
}

function readStatus(reader: DerReader): Pick<SingleResponse, 'status' | 'revokedAt' | 'reason'> {
  const element = reader.read();
  switch (element.tag) {
    case contextTag(0, 'primitive'):
      return { status: 'good', revokedAt: null, reason: null };
    case contextTag(1, 'constructed'): {
      const information = element.open();
      const revokedAt = timeValue(information.read(TAG.generalizedTime));
      const reason = information.optional(contextTag(0, 'constructed'));
      information.end();
      const code = reason === null ? null : onlyElement(reason.content, TAG_ENUMERATED).content;
      return { status: 'revoked', revokedAt, reason: code === null ? null : reasonName(code) };
    }
    case contextTag(2, 'primitive'):
      return { status: 'unknown', revokedAt: null, reason: null };
    default:
      throw new PkiError('der_tag', 'unknown status');
  }
}

function readExtensions(reader: DerReader): Extensions {
  const field = reader.optional(contextTag(1, 'constructed'));
  return field === null ? new Map() : readExtensionList(onlyElement(field.content, TAG.sequence).open());
}
