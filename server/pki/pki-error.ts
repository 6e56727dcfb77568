/** Reason why input is malformed. Never rename a code: callers and stored verdicts may contain it. */
export type PkiErrorCode =
  | 'too_large' // exceeds a size or count limit of the parser
  | 'der_truncated' // ends inside an element
  | 'der_length' // indefinite, non-minimal or oversized length
  | 'der_tag' // not the type that the standard requires, or a multi-byte tag
  | 'der_trailing' // bytes after the end
  | 'der_boolean'
  | 'der_integer'
  | 'der_bit_string'
  | 'der_object_identifier'
  | 'der_string'
  | 'der_time'
  | 'version' // unknown version, or fields that this version does not allow
  | 'algorithm_mismatch' // signatureAlgorithm and tbsCertificate.signature differ (RFC 5280 §4.1.1.2)
  | 'duplicate' // the same extension or policy twice
  | 'empty' // empty or missing where content is required, for example a list of SIZE (1..MAX)
  | 'value' // well-formed DER with a value that the standard forbids
  | 'pem';

/** Error for malformed input. The message is for logs; only `code` is stable. */
export class PkiError extends Error {
  readonly code: PkiErrorCode;

  constructor(code: PkiErrorCode, message: string) {
    super(message);
    this.name = 'PkiError';
    this.code = code;
  }
}
