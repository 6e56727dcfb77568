import { domainToASCII } from 'node:url';
import type { ForecastHost } from '../../tests/kit/product/stored-forecasts.ts';

/** An outage of a host, relative to the start of the demo. */
export interface Outage {
  hoursAgo: number;
  /** Duration of the outage; absent while it continues. */
  minutes?: number;
  cause: string;
  /** Rest of a sentence that starts with the host's name. */
  message: string;
}

const refused = { cause: 'refused', message: 'refused the connection.' };
const timeout = { cause: 'timeout', message: 'did not answer in time.' };
const failing = { cause: 'server_error', message: 'answered with the error 503.' };

/** An invented host and its certificate. Days are relative to the start of the demo. */
export interface DemoHost {
  name: string;
  /** Name of the CA in the host's certificate. The demo creates all CAs, and they chain to its root. */
  issuer: { organization: string; commonName: string };
  issuedDaysAgo: number;
  expiresInDays: number;
  otherNames?: readonly string[];
  /**
   * `gone`: the name was removed from DNS after some checks; `nowhere`: it never had an address; `incomplete`: the server sends
   * no intermediates; `half-renewed`: one address still serves the previous certificate; `failing`: the host answers 503.
   */
  fault?:
    'wrong-name' | 'self-signed' | 'gone' | 'nowhere' | 'revoked' | 'incomplete' | 'half-renewed' | 'failing';
  /** Protocol of the host; default: https. */
  protocol?: 'smtp';
  /** Usual response time in ms; default: 60. */
  answersInMs?: number;
  outages?: readonly Outage[];
  tags?: readonly string[];
  notes?: string;
  /** Number of days since the user paused the monitor; absent if it is not paused. */
  pausedDaysAgo?: number;
  /** Differences of the earlier certificates from the current one, apart from their dates. */
  former?: Pick<DemoHost, 'issuer' | 'otherNames'> & { key: 'RSA-2048' };
}

const letsEncrypt = (commonName: string) => ({ organization: "Let's Encrypt", commonName });
const digiCert = (commonName: string) => ({ organization: 'DigiCert', commonName });
const GOOGLE = { organization: 'Google Trust Services', commonName: 'WE1' };
const SECTIGO = { organization: 'Sectigo', commonName: 'Public Server DV R36' };
const ZEROSSL = { organization: 'ZeroSSL', commonName: 'ZeroSSL ECC Site CA' };

/** Hosts that the demo's account monitors; the dashboard lists the last ones first. */
export const WATCHED_HOSTS: readonly DemoHost[] = [
  {
    name: 'staging.moss.example',
    issuer: letsEncrypt('E8'),
    issuedDaysAgo: 5,
    expiresInDays: 85,
    fault: 'nowhere',
    tags: ['staging'],
  },
  {
    name: 'beta.fjord.example',
    issuer: letsEncrypt('E7'),
    issuedDaysAgo: 15,
    expiresInDays: 75,
    pausedDaysAgo: 3,
    tags: ['staging'],
    notes: 'Switched off until the new year.',
  },
  {
    name: domainToASCII('grønn.moss.example'),
    issuer: ZEROSSL,
    issuedDaysAgo: 8,
    expiresInDays: 82,
    tags: ['production'],
  },
  {
    name: 'vpn.orchard.example',
    issuer: digiCert('Global G2 TLS RSA'),
    issuedDaysAgo: 31,
    expiresInDays: 168,
    answersInMs: 210,
    tags: ['infra'],
    notes: 'Renewed by hand: ask Tove for the token of the CA.',
  },
  {
    name: 'pkg.orchard.example',
    issuer: letsEncrypt('E8'),
    issuedDaysAgo: 11,
    expiresInDays: 79,
    fault: 'half-renewed',
  },
  {
    name: 'docs.moss.example',
    issuer: letsEncrypt('R13'),
    issuedDaysAgo: 24,
    expiresInDays: 66,
    fault: 'incomplete',
  },
  {
    name: 'auth.fjord.example',
    issuer: letsEncrypt('E7'),
    issuedDaysAgo: 32,
    expiresInDays: 58,
    tags: ['production'],
  },
  {
    name: 'status.fjord.example',
    issuer: letsEncrypt('R12'),
    issuedDaysAgo: 43,
    expiresInDays: 47,
    fault: 'failing',
    answersInMs: 320,
    outages: [
      { hoursAgo: 0.4, ...failing },
      { hoursAgo: 29, minutes: 95, ...failing },
      { hoursAgo: 700, minutes: 12, ...timeout },
    ],
  },
  {
    name: 'cdn.moss.example',
    issuer: SECTIGO,
    issuedDaysAgo: 158,
    expiresInDays: 41,
    otherNames: Array.from({ length: 99 }, (_, index) => `tenant-${index + 1}.cdn.moss.example`),
    fault: 'revoked',
    answersInMs: 18,
    tags: ['infra', 'production'],
  },
  {
    name: 'api.fjord.example',
    issuer: GOOGLE,
    issuedDaysAgo: 56,
    expiresInDays: 34,
    outages: [{ hoursAgo: 12 * 24, minutes: 48, ...timeout }],
    tags: ['payments', 'production'],
  },
  {
    name: 'fjord.example',
    issuer: GOOGLE,
    issuedDaysAgo: 58,
    expiresInDays: 32,
    otherNames: ['www.fjord.example'],
    former: {
      issuer: digiCert('Global G2 TLS RSA'),
      otherNames: ['blog.fjord.example'],
      key: 'RSA-2048',
    },
    tags: ['production'],
  },
  {
    name: 'git.orchard.example',
    issuer: ZEROSSL,
    issuedDaysAgo: 79,
    expiresInDays: 11,
    otherNames: ['ci.orchard.example', 'packages.orchard.example', 'review.orchard.example'],
    tags: ['infra'],
  },
  {
    name: 'mail.orchard.example',
    issuer: letsEncrypt('E8'),
    issuedDaysAgo: 84,
    expiresInDays: 6,
    protocol: 'smtp',
    answersInMs: 95,
  },
  // Valid for 160 hours: its badge is red from the first day, although the renewal is on schedule.
  { name: 'edge.fjord.example', issuer: letsEncrypt('YE1'), issuedDaysAgo: 1, expiresInDays: 5.667 },
  {
    name: 'pay.fjord.example',
    issuer: digiCert('TLS RSA 2020 CA1'),
    issuedDaysAgo: 197,
    expiresInDays: 2,
    tags: ['payments', 'production'],
    notes: 'The card scheme pins the CA. Order from DigiCert only, account 4411.',
  },
  {
    name: 'legacy.fjord.example',
    issuer: letsEncrypt('R13'),
    issuedDaysAgo: 93,
    expiresInDays: -3,
    answersInMs: 480,
    outages: [2, 9, 46, 48, 71].map((daysAgo) => ({ hoursAgo: daysAgo * 24, minutes: 400, ...refused })),
  },
  {
    name: 'shop.moss.example',
    issuer: letsEncrypt('E7'),
    issuedDaysAgo: 20,
    expiresInDays: 70,
    fault: 'wrong-name',
  },
  {
    name: 'nas.orchard.example',
    issuer: { organization: 'nas.orchard.example', commonName: 'nas.orchard.example' },
    issuedDaysAgo: 400,
    expiresInDays: 3250,
    fault: 'self-signed',
  },
  {
    name: 'old.moss.example',
    issuer: letsEncrypt('R12'),
    issuedDaysAgo: 47,
    expiresInDays: 43,
    fault: 'gone',
    outages: [{ hoursAgo: 6 * 24, cause: 'name_not_found', message: 'has no public address in DNS.' }],
  },
];

/** Hosts suggested on the empty dashboard of a new account. */
export const OFFERED_HOSTS: readonly DemoHost[] = [
  { name: 'orchard.example', issuer: GOOGLE, issuedDaysAgo: 58, expiresInDays: 32 },
  { name: 'lab.moss.example', issuer: letsEncrypt('E8'), issuedDaysAgo: 81, expiresInDays: 9 },
  // Its lifetime of 160 hours is the shortest of public certificates today.
  { name: 'edge.moss.example', issuer: letsEncrypt('YE1'), issuedDaysAgo: 1, expiresInDays: 5.667 },
];

/** Hosts with a forecast of their next renewal, which will fail for the first one. */
export const FORECAST_HOSTS: readonly ForecastHost[] = [
  { host: 'auth.fjord.example', caa: ['digicert.com', 'pki.goog'] },
  { host: 'api.fjord.example', caa: ['digicert.com', 'pki.goog'] },
  { host: 'fjord.example', caa: ['digicert.com', 'pki.goog'] },
  { host: 'vpn.orchard.example' },
  { host: 'docs.moss.example', isPortClosed: true },
];
