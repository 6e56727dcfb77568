/**
 * Returns one spelling for the addresses that commonly reach one mailbox: ignores case, what follows a plus sign,
 * and the dots that Gmail ignores. Only for comparing; mail goes to the address as it was given.
 */
export function normaliseAddress(address: string): string {
  const lower = address.trim().toLowerCase();
  const at = lower.lastIndexOf('@');
  const [local, domain] = [lower.slice(0, at), lower.slice(at + 1)];
  const plus = local.indexOf('+', 1);
  const mailbox = plus === -1 ? local : local.slice(0, plus);
  return GMAIL.has(domain) ? `${mailbox.replaceAll('.', '')}@gmail.com` : `${mailbox}@${domain}`;
}

const GMAIL = new Set(['gmail.com', 'googlemail.com']);
