import type { Certificate } from './certificate.ts';
import { EXTENSION } from './der/object-identifiers.ts';
import { KEY_ALGORITHMS, type PublicKey } from './public-key.ts';

/**
 * Default budget of one check, in units of about 0.1 µs of a server core. Real hosts need less than a tenth of it, even
 * with 20 addresses that each serve a different certificate.
 */
export const DEFAULT_WORK_PER_CHECK = 600_000;

/** Work units for sorting the candidate issuers and checking one of them. */
export const STEP_WORK = 300;
/** Work units for parsing one byte of a certificate and rendering it for users. */
const WORK_PER_BYTE = 1;
/**
 * The square of a chain's size in bytes, divided by this, is the maximum of work units for its name constraints. OpenSSL verifies every
 * chain during the handshake, even if we ignore the result: up to 75 ms for the 100 kB that it accepts.
 */
const HANDSHAKE_BYTES_SQUARED = 10_000;
/**
 * Maximum number of comparisons of names with constraints that OpenSSL makes for two certificates (NAME_CHECK_MAX). It takes 12 ms for them
 * (OpenSSL 3.5).
 */
const MAX_COMPARISONS = 2 ** 20;
/** Number of comparisons of a name with a constraint per work unit. */
const COMPARISONS = 8;
/** Number of bytes of a certificate whose comparison costs OpenSSL as much as one more name. */
const COMPARED_BYTES = 64;
/** Number of signed bytes hashed per work unit. */
const HASHED_BYTES = 64;
/** Work units per ECDSA verification by curve, measured with OpenSSL 3.5. */
const CURVE_WORK: Readonly<Record<string, number>> = { 'P-256': 800, 'P-384': 8_200, 'P-521': 17_000 };
/** Work units per verification with any other curve, measured with the slowest one, sect571r1. */
const SLOWEST_CURVE_WORK = 21_000;
/** Work units per verification with a key of any other type, which we do not verify ourselves. */
const OTHER_WORK = 1_500;
/** Work units per RSA verification, per bit of the exponent and per (1,024 bits)² of the modulus. */
const RSA_WORK = 2.6;

/**
 * Budget for the work that untrusted certificates cause: bytes parsed, names compared, signatures verified, steps of
 * the path search. Counts operations instead of time, so that the same input gives the same verdict on every machine.
 */
export class WorkBudget {
  /** Initial budget in units. */
  readonly total: number;
  readonly #onSpend: (() => void) | undefined;
  readonly #paid = new Set<string>();
  #left: number;

  /**
   * Creates a budget of `total` units. Calls `onSpend` before each charge, so that the caller can
   * record which check is running.
   */
  constructor(total: number = DEFAULT_WORK_PER_CHECK, onSpend?: () => void) {
    this.total = total;
    this.#left = total;
    this.#onSpend = onSpend;
  }

  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** Remaining units; 0 if exhausted. */
  get left(): number {
    return Math.max(this.#left, 0);
  }

  get spent(): number {
    return this.total - this.left;
  }

  /** Spends `units`. Returns false if fewer are left; all later calls then return false too. */
  spend(units: number): boolean {
    if (this.isExhausted) return false;
    this.#onSpend?.();
    this.#left -= units;
    return !this.isExhausted;
  }

  /** Charges for parsing a certificate, once per certificate. Returns false if the budget is exhausted. */
  spendReading({ der, fingerprint }: Certificate): boolean {
    return !this.isExhausted && this.#spendOnce(fingerprint, der.length * WORK_PER_BYTE);
  }

  /** Charges for parsing bytes that turn out not to be a certificate. Returns false if the budget is exhausted. */
  spendBytes(count: number): boolean {
    return this.spend(count * WORK_PER_BYTE);
  }

  /**
   * Charges for one signature check, once per certificate and issuer, because later calls use the cached result.
   * Returns false if the budget is exhausted.
   */
  spendSignature(certificate: Certificate, issuer: Certificate): boolean {
    if (this.isExhausted) return false;
    const units = verificationWork(issuer.key, certificate.signature.signed.length);
    return this.#spendOnce(`${certificate.fingerprint} ${issuer.fingerprint}`, units);
  }

  /**
   * Charges for OpenSSL's work on the chain of a handshake. `chain`: certificates as sent, leaf first; null for a
   * malformed one. `bytes`: size of the chain. Returns false if the budget is exhausted.
   */
  spendHandshake(chain: readonly (Certificate | null)[], bytes: number): boolean {
    const keys = possibleIssuers(chain).reduce((sum, one) => sum + keyWork(one.key), 0);
    const most = bytes ** 2 / HANDSHAKE_BYTES_SQUARED;
    return this.spend(keys + Math.floor(Math.min(comparisonsOf(chain) / COMPARISONS, most)));
  }

  /** Spends all remaining units. */
  exhaust(): void {
    this.spend(this.left + 1);
  }

  /**
   * Charges for verifying a signature over `signedBytes` bytes, at every call. Returns false
   * if the budget is exhausted.
   */
  spendVerification(key: PublicKey, signedBytes: number): boolean {
    return this.spend(verificationWork(key, signedBytes));
  }

  #spendOnce(key: string, units: number): boolean {
    if (this.#paid.has(key)) return true;
    this.#paid.add(key);
    return this.spend(units);
  }
}

/** Returns the certificates of a chain with whose keys OpenSSL may verify others: those that by their names are above the leaf. */
function possibleIssuers([leaf, ...others]: readonly (Certificate | null)[]): Certificate[] {
  const readable = others.filter((one) => one !== null);
  if (leaf === undefined || leaf === null) return readable;
  const bySubject = Map.groupBy(readable, ({ subject }) => subject.comparisonKey);
  const found = new Set<Certificate>([leaf]);
  // Iterating over a Set includes entries that are added during the loop.
  for (const { issuer } of found) for (const one of bySubject.get(issuer.comparisonKey) ?? []) found.add(one);
  return [...found].slice(1);
}

const COMPARED_EXTENSIONS = new Set<string>([EXTENSION.subjectAltName, EXTENSION.nameConstraints]);

/**
 * Returns how many comparisons of names with constraints OpenSSL makes for a chain; Infinity if a certificate cannot be read. A long name
 * counts as several. Two certificates that need over `MAX_COMPARISONS` count nothing, because OpenSSL refuses them at once.
 */
function comparisonsOf(chain: readonly (Certificate | null)[]): number {
  const readable = chain.filter((one) => one !== null);
  // OpenSSL may be able to read extensions that we cannot.
  const isUnread = readable.some(({ parseErrors }) =>
    parseErrors.some(({ extension }) => COMPARED_EXTENSIONS.has(extension)),
  );
  if (isUnread || readable.length < chain.length) return Infinity;
  return readable
    .flatMap(({ nameConstraints: all }) => (all === null ? [] : [all.permitted.length + all.excluded.length]))
    .reduce(
      (sum, constraints) => sum + readable.reduce((part, one) => part + pairOf(one, constraints), 0),
      0,
    );
}

function pairOf({ subject, subjectAltNames, der }: Certificate, constraints: number): number {
  const names = subject.relativeNames.length + subjectAltNames.all.length;
  return names * constraints > MAX_COMPARISONS ? 0 : (names + der.length / COMPARED_BYTES) * constraints;
}

function verificationWork(key: PublicKey, signedBytes: number): number {
  return keyWork(key) + Math.ceil(signedBytes / HASHED_BYTES);
}

function keyWork({ type, bits, curve, algorithm, exponentBits }: PublicKey): number {
  switch (type) {
    case 'rsa':
      return Math.ceil(RSA_WORK * (bits / 1_024) ** 2 * exponentBits);
    case 'ec':
      return CURVE_WORK[curve ?? ''] ?? SLOWEST_CURVE_WORK;
    default:
      return KEY_ALGORITHMS.get(algorithm)?.verificationWork ?? OTHER_WORK;
  }
}
