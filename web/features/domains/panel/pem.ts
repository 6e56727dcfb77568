import type { ChainCertificateWire } from '../../../../contract/domain.ts';

// The longest name of a file is 255 bytes nearly everywhere, and hosts have up to 253 characters.
const LONGEST_HOST = 200;

/**
 * `<host>.pem` for the leaf, `<host>-2.pem` and so on for what it is signed with, `<host>-chain.pem` for all that was sent,
 * `<host>-fullchain.pem` for what should be.
 */
export function pemFileName(hostname: string, which: number | 'chain' | 'fullchain'): string {
  const host = hostname.replaceAll(/[^a-z0-9.-]/gi, '-').slice(0, LONGEST_HOST);
  if (typeof which === 'string') return `${host}-${which}.pem`;
  return which === 0 ? `${host}.pem` : `${host}-${which + 1}.pem`;
}

/** The certificates one after the other, each ending with its line. */
export function pemOf(chain: readonly Pick<ChainCertificateWire, 'pem'>[]): string {
  return chain.map(({ pem }) => `${pem.trimEnd()}\n`).join('');
}

/** As people compare it: 'A1:B2:…' of the hexadecimal that the wire carries. */
export function fingerprintText(hex: string): string {
  return (hex.toUpperCase().match(/.{1,2}/g) ?? []).join(':');
}

/** The first bytes, enough to tell a few apart. */
export function shortFingerprint(hex: string): string {
  return fingerprintText(hex.slice(0, 6));
}
