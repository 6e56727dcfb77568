import type { Certificate } from './certificate.ts';
import type { PublicKey } from './public-key.ts';

/**
 * What one look at a host may cost, in units of about 0.1 µs of a server's core. Real hosts stay under a tenth of it, also
 * with twenty addresses that show a certificate each.
 */
export const LOOK_WORK = 600_000;

/** Sorting the candidates for an issuer and checking one of them. */
export const STEP_WORK = 300;
/** Reading one byte of a certificate, and telling people what it says. */
const WORK_PER_BYTE = 1;
/**
 * OpenSSL verifies every chain during the handshake, whatever we make of the result, and compares names with constraints: up to
 * 75 ms for the 100 kB that it accepts, quadratically less for fewer.
 */
const HANDSHAKE_BYTES_SQUARED = 10_000;
/** Signed bytes that are hashed for one unit. */
const HASHED_BYTES = 64;
/** Measured with OpenSSL 3.5. A curve that is not listed may be any of OpenSSL's, and sect571r1 is its slowest. */
const CURVE_WORK: Readonly<Record<string, number>> = { 'P-256': 800, 'P-384': 8_200, 'P-521': 17_000 };
const SLOWEST_CURVE_WORK = 21_000;
const EDWARDS_WORK = 1_500;
/** For each bit of the exponent and each (1,024 bits)² of the modulus. */
const RSA_WORK = 2.6;

/**
 * Counts the work that a stranger's certificates cause: bytes read, names compared, signatures verified, steps of the path
 * search. It counts operations and never time, so the same input gives the same verdict on every machine.
 */
export class WorkBudget {
  /** What there was at first. */
  readonly total: number;
  readonly #onSpend: (() => void) | undefined;
  readonly #paid = new Set<string>();
  #left: number;

  /** `onSpend` hears before each piece of work which look it is done for. */
  constructor(total: number = LOOK_WORK, onSpend?: () => void) {
    this.total = total;
    this.#left = total;
    this.#onSpend = onSpend;
  }

  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** How much is left, 0 where it is exhausted. */
  get left(): number {
    return Math.max(this.#left, 0);
  }

  get spent(): number {
    return this.total - this.left;
  }

  /** Takes `units`. False once that is more than is left; from then on nothing can be paid for. */
  spend(units: number): boolean {
    if (this.isExhausted) return false;
    this.#onSpend?.();
    this.#left -= units;
    return !this.isExhausted;
  }

  /** Takes what reading a certificate costs, the first time within this look. */
  spendReading({ der, fingerprint }: Certificate): boolean {
    return !this.isExhausted && this.#spendOnce(fingerprint, der.length * WORK_PER_BYTE);
  }

  /** Takes what reading so many bytes costs that turn out to be no certificate. */
  spendBytes(count: number): boolean {
    return this.spend(count * WORK_PER_BYTE);
  }

  /** Takes what one signature check costs, the first time within this look: afterwards its result is remembered. */
  spendSignature(certificate: Certificate, issuer: Certificate): boolean {
    if (this.isExhausted) return false;
    const units = verificationWork(issuer.key, certificate.signature.signed.length);
    return this.#spendOnce(`${certificate.fingerprint} ${issuer.fingerprint}`, units);
  }

  /** Takes what OpenSSL may spend on the chain of one handshake. `chain`: as sent, leaf first, null for what cannot be read. */
  spendHandshake(chain: readonly (Certificate | null)[], bytes: number): boolean {
    const keys = chain.slice(1).reduce((sum, one) => sum + (one === null ? 0 : keyWork(one.key)), 0);
    return this.spend(keys + Math.floor(bytes ** 2 / HANDSHAKE_BYTES_SQUARED));
  }

  /** Takes all that is left. */
  exhaust(): void {
    this.spend(this.left + 1);
  }

  /** Takes what it costs to verify a signature over so many bytes. */
  spendVerification(key: PublicKey, signedBytes: number): boolean {
    return this.spend(verificationWork(key, signedBytes));
  }

  #spendOnce(key: string, units: number): boolean {
    if (this.#paid.has(key)) return true;
    this.#paid.add(key);
    return this.spend(units);
  }
}

function verificationWork(key: PublicKey, signedBytes: number): number {
  return keyWork(key) + Math.ceil(signedBytes / HASHED_BYTES);
}

function keyWork({ type, bits, curve, exponentBits }: PublicKey): number {
  switch (type) {
    case 'rsa':
      return Math.ceil(RSA_WORK * (bits / 1_024) ** 2 * exponentBits);
    case 'ec':
      return CURVE_WORK[curve ?? ''] ?? SLOWEST_CURVE_WORK;
    default:
      return EDWARDS_WORK;
  }
}
