const COMPANY_SUFFIX = /[\s,]+(inc|llc|ltd|limited|gmbh|corp|corporation|s\.?a\.?|b\.?v\.?|co)\.?$/i;

/**
 * Returns the issuer without repeating the authority: "DigiCert Inc", "DigiCert TLS RSA 2020 CA1" → "DigiCert · TLS RSA 2020
 * CA1". Null if neither is known.
 */
export function issuerLine(authorityName: string | null, issuer: string | null): string | null {
  const authority = (authorityName ?? '').trim().replace(COMPANY_SUFFIX, '') || (authorityName ?? '').trim();
  const name = (issuer ?? '').trim();
  if (!authority || !name) return authority || name || null;
  const rest = name.toLowerCase().startsWith(`${authority.toLowerCase()} `)
    ? name.slice(authority.length).trim()
    : name;
  return rest.toLowerCase() === authority.toLowerCase() ? authority : `${authority} · ${rest}`;
}
