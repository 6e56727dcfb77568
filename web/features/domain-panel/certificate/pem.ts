import type { ChainCertificateWire } from '../../../../contract/domain.ts';

// File systems limit names to 255 bytes, and hosts have up to 253 characters.
const MAX_HOST_LENGTH = 200;

/**
 * Returns `<host>.pem` for the leaf, `<host>-2.pem` and so on for the intermediates, `<host>-chain.pem` for the sent chain,
 * `<host>-fullchain.pem` for the recommended one.
 */
export function pemFileName(hostname: string, which: number | 'chain' | 'fullchain'): string {
  const host = hostname.replaceAll(/[^a-z0-9.-]/gi, '-').slice(0, MAX_HOST_LENGTH);
  if (typeof which === 'string') return `${host}-${which}.pem`;
  return which === 0 ? `${host}.pem` : `${host}-${which + 1}.pem`;
}

/** Joins the certificates, each ending with a newline. */
export function pemOf(chain: readonly Pick<ChainCertificateWire, 'pem'>[]): string {
  return chain.map(({ pem }) => `${pem.trimEnd()}\n`).join('');
}

/** Formats hexadecimal as 'A1:B2:…'. */
export function fingerprintText(hex: string): string {
  return (hex.toUpperCase().match(/.{1,2}/g) ?? []).join(':');
}

/** Returns the first bytes, enough to tell a few certificates apart. */
export function shortFingerprint(hex: string): string {
  return fingerprintText(hex.slice(0, 6));
}
