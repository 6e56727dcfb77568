/** Vocabulary of checks, their reports and alerts, beside `words.ts`. Imports nothing. */

/**
 * Optional settings of how a domain is checked: fields of the API, columns of CSV files and, with hyphens, options
 * of the command line. The labels are those of the dialog; messages about a field start with them.
 */
export const TARGET_LABELS = {
  connect_to: 'Connect to',
  server_name: 'Server name',
  verify_name: 'Name to verify',
  expected_status: 'Expected status',
  family: 'Address family',
} as const;
export type TargetField = keyof typeof TARGET_LABELS;
export const TARGET_FIELDS = Object.keys(TARGET_LABELS) as [TargetField, ...TargetField[]];
/** Value of `server_name` for a handshake that names no server. */
export const NO_SERVER_NAME = 'none';

/** Types of certificate keys that TLS can authenticate with, and their display names. */
export const KEY_TYPE_NAMES = {
  ecdsa: 'ECDSA',
  rsa: 'RSA',
  'rsa-pss': 'RSA-PSS',
  ed25519: 'Ed25519',
  ed448: 'Ed448',
  'ml-dsa-44': 'ML-DSA-44',
  'ml-dsa-65': 'ML-DSA-65',
  'ml-dsa-87': 'ML-DSA-87',
} as const;
export type KeyType = keyof typeof KEY_TYPE_NAMES;
export const KEY_TYPES = Object.keys(KEY_TYPE_NAMES) as [KeyType, ...KeyType[]];

/**
 * Programs and libraries that verify certificates in their own way, with their display names. `openssl` also stands for
 * programs that use OpenSSL, such as curl, Python, PHP, Node.js and Ruby; `chromium` for Chrome, Edge and related browsers.
 */
export const CLIENT_NAMES = {
  chromium: 'Chrome',
  firefox: 'Firefox',
  apple: 'Safari',
  openssl: 'OpenSSL',
  go: 'Go',
  java: 'Java',
  gnutls: 'GnuTLS',
  windows: 'Windows',
} as const;
export type Client = keyof typeof CLIENT_NAMES;
export const CLIENTS = Object.keys(CLIENT_NAMES) as [Client, ...Client[]];

/** Severities of findings, worst first. Only the first two are problems today. */
export const FINDING_SEVERITIES = ['critical', 'warning', 'upcoming', 'note'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** Returns whether a finding is a problem today. */
export const isProblem = ({ severity }: { severity: FindingSeverity }): boolean =>
  severity === 'critical' || severity === 'warning';

/** Problems that an incident and its alerts can be about. */
export const ALERT_PROBLEMS = [
  'expiry',
  'revoked',
  'wrong_name',
  'chain_broken',
  'changed',
  'replacement_wanted',
  'not_deployed',
  'refused_from',
  'renewal_fails',
  'registration',
  'down',
] as const;
export type AlertProblem = (typeof ALERT_PROBLEMS)[number];

/**
 * Events whose alerts can be turned off. Alerts about expiry, revocation, a wrong name or a broken chain are the purpose of the
 * product, so they always stay on.
 */
export const OPTIONAL_EVENTS = [
  'uptime',
  'changed',
  'replacement_wanted',
  'not_deployed',
  'refused_from',
  'renewal_fails',
  'registration',
  'good_news',
] as const;
export type MutableEvent = (typeof OPTIONAL_EVENTS)[number];

/** Name of the state of a certificate that is not valid for the host. */
export const WRONG_NAME = 'Not trusted: wrong name';

/** Issuer of certificates that name none. */
export const UNKNOWN_ISSUER = 'Unknown issuer';

const COMPANY_SUFFIX = /[\s,]{1,3}(inc|llc|ltd|limited|gmbh|corp|corporation|s\.?a\.?|b\.?v\.?|co)\.?$/i;

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
