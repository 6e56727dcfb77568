import { DAY_MS } from '../../../contract/durations.ts';

export interface Sample {
  hostname: string;
  issuer: string;
  /** Days until notAfter; negative once expired. */
  days: number;
  /** Days from notBefore to notAfter. */
  lifetimeDays: number;
  revoked?: true;
  /** Indices of failed checks among the last 90 (89 is the newest). */
  failed?: readonly number[];
}

const CHECKS = 90;

export const EXPIRED_SAMPLE: Sample = {
  hostname: 'legacy.fjord.example',
  issuer: "Let's Encrypt · R13",
  days: -4,
  lifetimeDays: 90,
  failed: [12, 40, 42, 81, 87],
};
export const EXPIRING_SAMPLE: Sample = {
  hostname: 'pay.fjord.example',
  issuer: 'DigiCert · TLS RSA 2020 CA1',
  days: 2,
  lifetimeDays: 199,
};
export const REVOKED_SAMPLE: Sample = {
  hostname: 'cdn.moss.example',
  issuer: 'Sectigo · Public Server DV R36',
  days: 41,
  lifetimeDays: 199,
  revoked: true,
};

/** The certificates of the example dashboard, by date. */
export const SAMPLES: readonly Sample[] = [
  EXPIRED_SAMPLE,
  EXPIRING_SAMPLE,
  { hostname: 'mail.orchard.example', issuer: "Let's Encrypt · E8", days: 6, lifetimeDays: 90 },
  {
    hostname: 'git.orchard.example',
    issuer: 'ZeroSSL · ECC Site CA',
    days: 11,
    lifetimeDays: 90,
    failed: [30],
  },
  { hostname: 'fjord.example', issuer: 'Google Trust Services · WE1', days: 32, lifetimeDays: 90 },
  { hostname: 'api.fjord.example', issuer: 'Google Trust Services · WE1', days: 34, lifetimeDays: 90 },
  REVOKED_SAMPLE,
  {
    hostname: 'status.fjord.example',
    issuer: "Let's Encrypt · R12",
    days: 47,
    lifetimeDays: 90,
    failed: [61, 62],
  },
  { hostname: 'auth.fjord.example', issuer: "Let's Encrypt · E7", days: 58, lifetimeDays: 90 },
  { hostname: 'docs.moss.example', issuer: "Let's Encrypt · R13", days: 66, lifetimeDays: 90 },
  { hostname: 'pkg.orchard.example', issuer: "Let's Encrypt · E8", days: 79, lifetimeDays: 90 },
  { hostname: 'vpn.orchard.example', issuer: 'DigiCert · Global G2 TLS RSA', days: 168, lifetimeDays: 199 },
];

/**
 * Returns when the example certificate expires, in ms UTC. Adds half a day, so that "2 days" does not change while the page is
 * open.
 */
export function notAfterOf(sample: Sample, now: number): number {
  return now + sample.days * DAY_MS + DAY_MS / 2;
}

/** Returns the last checks of the example, as the strip shows them, and its uptime. */
export function checksOf({ failed = [] }: Sample): { checks: string; percent: number } {
  const checks = Array.from({ length: CHECKS }, (_, place) => (failed.includes(place) ? 'd' : 'u')).join('');
  return { checks, percent: (1 - failed.length / CHECKS) * 100 };
}
