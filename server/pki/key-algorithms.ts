/**
 * A signature algorithm whose identifier names both its keys and its signatures, and that has no parameters
 * (RFC 8410 §3, RFC 9881 §2, RFC 9909 §3).
 */
export interface KeyAlgorithm {
  readonly type: 'ed25519' | 'ed448' | 'ml-dsa' | 'slh-dsa';
  /** Display name, for example `ML-DSA-65`. */
  readonly name: string;
  /** Size of the curve in bits; 0 for ML-DSA and SLH-DSA, whose names say their strength. */
  readonly bits: number;
  /** Size of a public key. Keys of another size are malformed. */
  readonly keyBytes: number;
  /** Work units per verification, with the time to load the key, measured with OpenSSL 3.5. */
  readonly verificationWork: number;
}

/** Size of a public key by parameter set. The order is that of the identifiers, first with SHA2, then with SHAKE. */
const SLH_DSA_KEY_BYTES = { '128s': 32, '128f': 32, '192s': 48, '192f': 48, '256s': 64, '256f': 64 };
const FIRST_SLH_DSA = 20;

/** The algorithms by OID (dotted decimal). */
export const KEY_ALGORITHMS: ReadonlyMap<string, KeyAlgorithm> = new Map<string, KeyAlgorithm>([
  ['1.3.101.112', { type: 'ed25519', name: 'Ed25519', bits: 256, keyBytes: 32, verificationWork: 1_500 }],
  ['1.3.101.113', { type: 'ed448', name: 'Ed448', bits: 456, keyBytes: 57, verificationWork: 2_300 }],
  ['2.16.840.1.101.3.4.3.17', mlDsa(44, 1_312, 1_200)],
  ['2.16.840.1.101.3.4.3.18', mlDsa(65, 1_952, 2_300)],
  ['2.16.840.1.101.3.4.3.19', mlDsa(87, 2_592, 3_500)],
  ...[slhDsa('SHA2', 16_000), slhDsa('SHAKE', 40_000)]
    .flat()
    .map((set, index) => [`2.16.840.1.101.3.4.3.${FIRST_SLH_DSA + index}`, set] as const),
]);

function mlDsa(set: 44 | 65 | 87, keyBytes: number, verificationWork: number): KeyAlgorithm {
  return { type: 'ml-dsa', name: `ML-DSA-${set}`, bits: 0, keyBytes, verificationWork };
}

function slhDsa(hash: 'SHA2' | 'SHAKE', verificationWork: number): KeyAlgorithm[] {
  return Object.entries(SLH_DSA_KEY_BYTES).map(([size, keyBytes]) => ({
    type: 'slh-dsa',
    name: `SLH-DSA-${hash}-${size}`,
    bits: 0,
    keyBytes,
    verificationWork,
  }));
}
