/** Every way in which bytes or text can fail to be what they claim. Stable: callers and stored verdicts may keep them. */
export type PkiErrorCode =
  | 'too_large' // over the size or count limit of the reader
  | 'der_truncated' // ends inside an element
  | 'der_length' // indefinite, non-minimal or absurd length
  | 'der_tag' // another type than the standard asks for, or a multi-byte tag
  | 'der_trailing' // bytes after the end
  | 'der_boolean'
  | 'der_integer'
  | 'der_bit_string'
  | 'der_object_identifier'
  | 'der_string'
  | 'der_time'
  | 'version' // unknown version, or fields that this version does not have
  | 'algorithm_mismatch' // signatureAlgorithm and tbsCertificate.signature differ (RFC 5280 §4.1.1.2)
  | 'duplicate' // the same extension, policy or purpose twice
  | 'empty' // a SIZE (1..MAX) list with nothing in it
  | 'value' // well-formed DER with a value that the standard forbids
  | 'pem';

/** Input that is not what it claims to be. The message is for logs; `code` is the stable part. */
export class PkiError extends Error {
  readonly code: PkiErrorCode;

  constructor(code: PkiErrorCode, message: string) {
    super(message);
    this.name = 'PkiError';
    this.code = code;
  }
}
