import { type Certificate, subjectPublicKeyHash } from '../../pki/index.ts';

/** Until when a root may issue (ms UTC), by the SHA-256 of its subject public key. */
export type RootConstraints = ReadonlyMap<string, number>;

/**
 * Roots that Chrome trusts only for certificates whose earliest SCT is no later than an instant, by the SHA-256 of their
 * subject public key. Sources: "Sustaining Digital Certificate Security: Upcoming Changes to the Chrome Root Store",
 * security.googleblog.com, 30 May 2025 (after 2025-07-31 23:59:59 UTC); the keys as in Mozilla's set of roots.
 */
export const CHROME_TRUSTS_UNTIL: RootConstraints = new Map([
  // OU=ePKI Root Certification Authority, O=Chunghwa Telecom Co., Ltd., C=TW (no longer in every Node)
  ['62554c17005543b237215f04268dcd2fd1c470240ad3c8660e25ae2c59630f55', Date.UTC(2025, 6, 31, 23, 59, 59)],
  // CN=HiPKI Root CA - G1, O=Chunghwa Telecom Co., Ltd., C=TW
  ['79caaf5347e6e4a94c8e78a98496fc74020f809ede13f220fab6104c8ded329f', Date.UTC(2025, 6, 31, 23, 59, 59)],
  // CN=NetLock Arany (Class Gold) Főtanúsítvány, O=NetLock Kft., C=HU
  ['f48badd7df6a06690d0ae31373b12855f8dedb14517f362a313101cc98cc6b35', Date.UTC(2025, 6, 31, 23, 59, 59)],
]);

/**
 * Until when a browser trusts new certificates of this root (ms UTC), where this leaf came later; else null. A leaf without
 * an SCT of its own counts from its notBefore: when a log took it in cannot be told.
 */
export function distrustedSince(
  anchor: Certificate,
  leaf: Certificate,
  constraints: RootConstraints,
): number | null {
  const until = constraints.get(subjectPublicKeyHash(anchor));
  if (until === undefined) return null;
  return issuedAt(leaf) > until ? until : null;
}

/** When a log first saw the certificate, else when it says that it begins. */
function issuedAt({ signedCertificateTimestamps, notBefore }: Certificate): number {
  return signedCertificateTimestamps.length === 0 ? notBefore : Math.min(...signedCertificateTimestamps);
}
