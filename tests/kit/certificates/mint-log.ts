import { createHash, sign } from 'node:crypto';
import { parseCertificate } from '../../../server/pki/certificate.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { bigEndian, timestampEntry, timestampExtension, vector } from './certificate-extensions.ts';
import {
  type CertificateOptions,
  type KeyChoice,
  type KeyPair,
  type MintedAuthority,
  type MintedCertificate,
  mintKey,
  randomSerial,
} from './mint.ts';

/** A Certificate Transparency log for tests, with what a log list says about it. */
export interface MintedLog {
  name: string;
  operator: string;
  isStatic: boolean;
  state: string;
  /** Since when it has the state, ms UTC. */
  since: number;
  previousOperators: { name: string; until: number }[];
  key: KeyPair;
  /** SHA-256 of the key. */
  id: Buffer;
}

export function mintLog(
  operator: string,
  differences: Partial<Omit<MintedLog, 'operator' | 'key' | 'id'>> & { key?: KeyChoice } = {},
): MintedLog {
  const { key: choice = 'P-256', ...fields } = differences;
  const key = mintKey(choice);
  return {
    name: `${operator} log`,
    operator,
    isStatic: false,
    state: 'usable',
    since: Date.UTC(2024, 0),
    previousOperators: [],
    ...fields,
    key,
    id: createHash('sha256').update(spki(key)).digest(),
  };
}

const spki = ({ publicKey }: KeyPair): Buffer => publicKey.export({ type: 'spki', format: 'der' });

/** Returns the public key of a log as a DER-encoded SubjectPublicKeyInfo, as lists of logs have it. */
export const logPublicKey = ({ key }: MintedLog): Buffer => spki(key);

/** An SCT to sign. */
export interface Stamp {
  log: MintedLog;
  at: number;
  /** The SCT's own extensions. Default: none, and the leaf index 7 for a static log. */
  extensions?: Buffer;
  /** Changes the time in the SCT after it was signed. */
  isForged?: boolean;
}

/** Encodes the leaf index of a static log (c2sp.org/static-ct-api). */
export function leafIndexExtension(index: number): Buffer {
  return Buffer.concat([Buffer.from([0]), vector(bigEndian(BigInt(index), 5))]);
}

/** Issues a certificate with SCTs in it. They come before the other extra extensions. */
export function issueLogged(
  authority: MintedAuthority,
  options: CertificateOptions,
  stamps: readonly Stamp[],
): MintedCertificate {
  const fixed = {
    notBefore: Date.now() - HOUR_MS,
    notAfter: Date.now() + 90 * DAY_MS,
    serialNumber: randomSerial(),
    key: mintKey('P-256'),
    ...options,
  };
  // Logs sign what the certificate says without SCTs.
  const body = parseCertificate(authority.issue(fixed).der).signature.signed;
  const issuerKeyHash = createHash('sha256').update(spki(authority.key)).digest();
  const entry = Buffer.concat([Buffer.from([0, 1]), issuerKeyHash, vector(body, 3)]);
  const list = timestampExtension(stamps.map((stamp) => signStamp(stamp, entry)));
  return authority.issue({ ...fixed, extraExtensions: [list, ...(options.extraExtensions ?? [])] });
}

/** Signs SCTs about a finished certificate, for an OCSP response or the TLS handshake. */
export function stampCertificate({ der }: MintedCertificate, stamps: readonly Stamp[]): Buffer[] {
  const entry = Buffer.concat([Buffer.from([0, 0]), vector(der, 3)]);
  return stamps.map((stamp) => signStamp(stamp, entry));
}

function signStamp({ log, at, extensions: own, isForged = false }: Stamp, entry: Buffer): Buffer {
  const extensions = own ?? (log.isStatic ? leafIndexExtension(7) : Buffer.alloc(0));
  const signed = Buffer.concat([Buffer.from([0, 0]), bigEndian(BigInt(at), 8), entry, vector(extensions)]);
  const isRsa = log.key.privateKey.asymmetricKeyType === 'rsa';
  return timestampEntry({
    logId: log.id,
    at: isForged ? at + 1 : at,
    extensions,
    algorithms: [4, isRsa ? 1 : 3],
    signature: sign('sha256', signed, log.key.privateKey),
  });
}

/** Returns a list of logs as Google and Apple publish it. */
export function logListJson(logs: readonly MintedLog[], publishedAt: number): string {
  const iso = (at: number) => new Date(at).toISOString();
  const entry = (log: MintedLog) => ({
    description: log.name,
    log_id: log.id.toString('base64'),
    key: logPublicKey(log).toString('base64'),
    mmd: 86_400,
    state: { [log.state]: { timestamp: iso(log.since) } },
    previous_operators: log.previousOperators.map(({ name, until }) => ({ name, end_time: iso(until) })),
  });
  const operators = [...Map.groupBy(logs, ({ operator }) => operator)].map(([name, own]) => ({
    name,
    email: [],
    logs: own.filter(({ isStatic }) => !isStatic).map(entry),
    tiled_logs: own.filter(({ isStatic }) => isStatic).map(entry),
  }));
  return JSON.stringify({ version: '1.0', log_list_timestamp: iso(publishedAt), operators });
}
