import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import {
  EMBEDDED_TIMESTAMPS,
  timestampExtension,
  vector,
} from '../kit/certificates/certificate-extensions.ts';
import { integer } from '../kit/certificates/der-writer.ts';
import {
  issueLogged,
  type MintedLog,
  mintLog,
  type Stamp,
  stampCertificate,
} from '../kit/certificates/mint-log.ts';
import { mintOcspResponse } from '../kit/certificates/mint-ocsp.ts';
import type { CertificateOptions, MintedAuthority, MintedCertificate } from '../kit/certificates/mint.ts';

const now = Math.floor(Date.now() / 1000) * 1000;
const ISSUED = now - 30 * DAY_MS;
/** When some logs were retired, or changed their operator. */
const CHANGED = now - 10 * DAY_MS;

const argon = mintLog('Argon Org');
const argonToo = mintLog('Argon Org', { name: 'second log of Argon Org' });
const nimbus = mintLog('Nimbus Org');
const rsa = mintLog('RSA Org', { key: 'RSA-2048' });
const tuscolo = mintLog('Static Org', { isStatic: true });
const willow = mintLog('Other Static Org', { isStatic: true });
const qualified = mintLog('Qualified Org', { state: 'qualified' });
const readonly = mintLog('Read-only Org', { state: 'readonly' });
const retired = mintLog('Retired Org', { state: 'retired', since: CHANGED });
const retiredToo = mintLog('Other Retired Org', { state: 'retired', since: CHANGED });
const retiring = mintLog('Retiring Org', { state: 'retired', since: now + 10 * DAY_MS });
/** Belonged to the operator of `argon` until `CHANGED`. */
const sold = mintLog('Buyer Org', { previousOperators: [{ name: 'Argon Org', until: CHANGED }] });
const unlisted = mintLog('Unlisted Org');

/** The logs in the list of the browser and of ours. */
export const LISTED_LOGS: readonly MintedLog[] = [
  argon,
  argonToo,
  nimbus,
  rsa,
  tuscolo,
  willow,
  qualified,
  readonly,
  retired,
  retiredToo,
  retiring,
  sold,
];

/** A certificate of a public authority, and what its server staples. */
export interface TransparencyScenario {
  name: string;
  mint: (authority: MintedAuthority, host: string) => MintedCertificate;
  staple?: (leaf: MintedCertificate, issuer: MintedAuthority) => Buffer;
}

const stamps = (at: number, ...logs: MintedLog[]): Stamp[] => logs.map((log) => ({ log, at }));

function embedded(
  name: string,
  list: readonly Stamp[],
  options: CertificateOptions = {},
): TransparencyScenario {
  return {
    name,
    mint: (authority, host) =>
      issueLogged(
        authority,
        { dnsNames: [host], notBefore: ISSUED, notAfter: now + 60 * DAY_MS, ...options },
        list,
      ),
  };
}

/** Returns a certificate that is valid for `days` days and `seconds` seconds, counted without its last second. */
const lasting = (days: number, seconds: number, count: number): TransparencyScenario =>
  embedded(
    `valid for ${days} days and ${seconds} s, with ${count}`,
    stamps(ISSUED, ...[argon, nimbus, readonly].slice(0, count)),
    { notAfter: ISSUED + days * DAY_MS + seconds * 1000 },
  );

/** Returns a certificate with enough SCTs for every lifetime. */
const enough = (name: string, notBefore: number, days: number): TransparencyScenario =>
  embedded(name, stamps(notBefore, argon, nimbus, readonly), {
    notBefore,
    notAfter: notBefore + days * DAY_MS - 1000,
  });

/** Returns an extension of an SCT as static logs use them (c2sp.org/static-ct-api). */
const extension = (type: number, length: number): Buffer =>
  Buffer.concat([Buffer.from([type]), vector(Buffer.alloc(length, 1))]);

const withExtensions = (name: string, log: MintedLog, ...extensions: Buffer[]): TransparencyScenario =>
  embedded(`two, one of ${log.isStatic ? 'a static log' : 'an RFC 6962 log'} with ${name}`, [
    ...stamps(ISSUED, argon),
    { log, at: ISSUED, extensions: Buffer.concat(extensions) },
  ]);

function stapled(name: string, inside: readonly Stamp[], outside: readonly Stamp[]): TransparencyScenario {
  return {
    ...(inside.length === 0 ? without(name) : embedded(name, inside)),
    staple: (leaf, issuer) =>
      mintOcspResponse(issuer, leaf, { stapledTimestamps: stampCertificate(leaf, outside) }),
  };
}

const without = (name: string, options: CertificateOptions = {}): TransparencyScenario => ({
  name,
  mint: (authority, host) =>
    authority.issue({ dnsNames: [host], notBefore: ISSUED, notAfter: now + 60 * DAY_MS, ...options }),
});

/** First day of the limit of 200 days (Baseline Requirements §6.3.2). */
const LIMIT_200 = Date.UTC(2026, 2, 15);

export const TRANSPARENCY_SCENARIOS: readonly TransparencyScenario[] = [
  embedded('two of two operators', stamps(ISSUED, argon, nimbus)),
  embedded('one', stamps(ISSUED, argon)),
  without('none'),
  embedded('two of one operator', stamps(ISSUED, argon, argonToo)),
  embedded('two of one log', [...stamps(ISSUED, argon), ...stamps(ISSUED + HOUR_MS, argon)]),
  embedded('two of a log with an RSA key and another', stamps(ISSUED, rsa, nimbus)),
  embedded('three of two operators', stamps(ISSUED, argon, argonToo, nimbus), {
    notAfter: ISSUED + 199 * DAY_MS,
  }),
  embedded('three of one operator and one log twice', stamps(ISSUED, argon, argonToo, argon)),
  lasting(180, -1, 2),
  lasting(180, 0, 2),
  lasting(180, 1, 2),
  lasting(180, 1, 3),
  lasting(199, 0, 2),
  lasting(199, 0, 3),
  embedded('two, one with another time than was signed', [
    ...stamps(ISSUED, argon),
    { log: nimbus, at: ISSUED, isForged: true },
  ]),
  embedded('three, one with another time than was signed', [
    ...stamps(ISSUED, argon, readonly),
    { log: nimbus, at: ISSUED, isForged: true },
  ]),
  embedded('two, one of a log that is not listed', stamps(ISSUED, argon, unlisted)),
  embedded('three, one of a log that is not listed', stamps(ISSUED, argon, nimbus, unlisted)),
  embedded('two, one of tomorrow', [...stamps(ISSUED, argon), ...stamps(now + DAY_MS, nimbus)]),
  embedded('three, one of tomorrow', [...stamps(ISSUED, argon, readonly), ...stamps(now + DAY_MS, nimbus)]),
  embedded('two of static logs', stamps(ISSUED, tuscolo, willow)),
  embedded('two of static logs without a leaf index', [
    { log: tuscolo, at: ISSUED, extensions: Buffer.alloc(0) },
    { log: willow, at: ISSUED, extensions: Buffer.alloc(0) },
  ]),
  withExtensions('a leaf index of four bytes', tuscolo, extension(0, 4)),
  withExtensions('a leaf index twice', tuscolo, extension(0, 5), extension(0, 5)),
  withExtensions('a leaf index after another extension', tuscolo, extension(9, 3), extension(0, 5)),
  withExtensions('another extension only', tuscolo, extension(9, 3)),
  withExtensions('an extension cut short', tuscolo, extension(0, 5).subarray(0, 6)),
  withExtensions('a leaf index', nimbus, extension(0, 5)),
  withExtensions('another extension', nimbus, extension(9, 3)),
  withExtensions('a leaf index of four bytes', nimbus, extension(0, 4)),
  withExtensions('an extension cut short', nimbus, extension(0, 5).subarray(0, 6)),
  embedded('a static log and an RFC 6962 log', stamps(ISSUED, tuscolo, argon)),
  embedded('a qualified and a read-only log', stamps(ISSUED, qualified, readonly)),
  embedded('a retired log before its retirement, and a usable log', stamps(ISSUED, retired, argon)),
  embedded('a retired log after its retirement, and a usable log', [
    ...stamps(now - DAY_MS, retired),
    ...stamps(ISSUED, argon),
  ]),
  embedded('a retired log before its retirement, and a usable log after it', [
    ...stamps(ISSUED, retired),
    ...stamps(now - DAY_MS, argon),
  ]),
  embedded('two logs retired since', stamps(ISSUED, retired, retiredToo)),
  embedded('two logs retired since and a usable log', stamps(ISSUED, retired, retiredToo, argon)),
  embedded('a retired log at the second of its retirement, and a usable log', [
    ...stamps(CHANGED, retired),
    ...stamps(ISSUED, argon),
  ]),
  embedded('a log that will be retired, and a usable log', stamps(ISSUED, retiring, argon)),
  embedded('two logs, of which one belonged to the operator of the other', stamps(ISSUED, argon, sold)),
  embedded(
    'two logs, of which one had belonged to the operator of the other',
    stamps(CHANGED + HOUR_MS, argon, sold),
  ),
  stapled('two in the staple', [], stamps(ISSUED, argon, nimbus)),
  stapled('one in the certificate and one in the staple', stamps(ISSUED, argon), stamps(ISSUED, nimbus)),
  stapled(
    'two in the certificate and two in the staple',
    stamps(ISSUED, argon, nimbus),
    stamps(ISSUED, argon, nimbus),
  ),
  without('an empty list', { extraExtensions: [timestampExtension([])] }),
  without('a list that cannot be read', {
    extraExtensions: [{ oid: EMBEDDED_TIMESTAMPS, value: integer(1n) }],
  }),
  enough('valid for 200 days, issued under the limit of 200', now - 100 * DAY_MS, 200),
  enough('valid for 201 days, issued under the limit of 200', now - 100 * DAY_MS, 201),
  enough('valid for 398 days, issued before the limit of 200', LIMIT_200 - DAY_MS, 398),
  enough('valid for 399 days, issued before the limit of 200', LIMIT_200 - DAY_MS, 399),
];
