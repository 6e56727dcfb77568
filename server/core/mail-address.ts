/**
 * Returns the same spelling for addresses that usually reach the same mailbox: without case, the part after a plus sign, and
 * the dots that Gmail ignores. Use it only to compare; send mail to the address as it was given.
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
