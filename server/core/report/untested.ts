import { KEY_TYPE_NAMES } from '../../../contract/words.ts';
import type { PostureVerdict } from '../verdict.ts';

const LIST = new Intl.ListFormat('en-GB');

/**
 * Returns what the posture check could not learn, for example "certificates for RSA keys" and "TLS 1.0 and 1.1"; empty if it
 * learned everything.
 */
export function untestedPosture({
  tlsVersions,
  untestedKeyTypes,
  postQuantum,
}: Pick<PostureVerdict, 'tlsVersions' | 'untestedKeyTypes' | 'postQuantum'>): string[] {
  const keys = untestedKeyTypes.map((keyType) => KEY_TYPE_NAMES[keyType] ?? keyType);
  const versions = tlsVersions.filter(({ offered }) => offered === null).map(({ version }) => version);
  return [
    ...(keys.length === 0 ? [] : [`certificates for ${LIST.format(keys)} keys`]),
    ...(versions.length === 0 ? [] : [`TLS ${LIST.format(versions.map(versionNumber))}`]),
    ...(postQuantum.state === 'unknown' ? ['post-quantum key exchange'] : []),
  ];
}

/** Returns the number of a TLS version in OpenSSL's words: "1.0" for `TLSv1`. */
function versionNumber(version: string): string {
  const number = version.replace('TLSv', '');
  return number.includes('.') ? number : `${number}.0`;
}
