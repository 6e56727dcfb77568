const COMPANY_SUFFIX = /[\s,]+(inc|llc|ltd|limited|gmbh|corp|corporation|s\.?a\.?|b\.?v\.?|co)\.?$/i;

/**
 * "DigiCert Inc", "DigiCert TLS RSA 2020 CA1" → "DigiCert · TLS RSA 2020 CA1": who issued the certificate, said
 * once. Null when neither is known.
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
