import { type Client, KEY_TYPE_NAMES } from '../../../contract/check-words.ts';
import { clientNames } from '../judge/clients/client-rule.ts';
import { longInstant } from '../long-date.ts';
import { listed } from '../one-line.ts';
import { code, plain } from './markdown.ts';
import { postureTestedAt } from '../judge/previous-verdict.ts';
import { POSTURE_PARTS, type PosturePart } from '../observation.ts';
import type { PostureVerdict } from '../verdict.ts';

/** Returns the results of the daily posture check as the lines of a Markdown list. */
export function postureLines(posture: PostureVerdict): string[] {
  const { at, tlsVersions, postQuantum, caa, registration, alternates } = posture;
  const untested = untestedPosture(posture);
  const offered = tlsVersions.filter((one) => one.offered === true).map(({ version }) => version);
  return [
    `- TLS versions offered: ${offered.length === 0 ? 'unknown' : offered.map(code).join(', ')}`,
    `- Post-quantum key exchange: ${POST_QUANTUM[postQuantum.state]}${postQuantum.group === null ? '' : ` (${code(postQuantum.group)})`}`,
    `- CAA: ${caaText(caa)}`,
    `- Registration of the domain: ${registrationText(registration)}`,
    ...alternates.map(
      ({ keyType, certificate, clients }) =>
        `- Certificate with an ${KEY_TYPE_NAMES[keyType] ?? keyType} key, for ${recipients(clients)}: ${code(certificate.name)}, until ${longInstant(certificate.notAfter)}`,
    ),
    ...(untested.length === 0
      ? []
      : [`- Not tested${isPostureComplete(posture) ? '' : ' yet'}: ${untested.join('; ')}`]),
    `- Checked on ${longInstant(at)}`,
    ...earlierPosture(posture).map((one) => `- ${one.results}: as of ${longInstant(one.at)}`),
  ];
}

/** Returns the names of the clients that get a certificate other than the usual one: "Go and GnuTLS". */
function recipients(clients: readonly Client[] = []): string {
  return clients.length === 0 ? 'clients with such signatures' : clientNames(clients);
}

const PARTS: Record<PosturePart, string> = {
  certificates: 'Certificates for other key types',
  client_hellos: 'Answers to the ClientHellos of browsers',
  key_exchange: 'Post-quantum key exchange',
  tls_versions: 'TLS versions',
};

/** Returns the results that come from an earlier check, such as "TLS versions", with its time, ms UTC. */
export function earlierPosture(posture: PostureVerdict): { results: string; at: number }[] {
  return POSTURE_PARTS.flatMap((part) => {
    const at = postureTestedAt(posture, part);
    return at === null || at === posture.at ? [] : [{ results: PARTS[part], at }];
  });
}

/** Returns whether every part of the posture was tested at least once. */
export function isPostureComplete(posture: PostureVerdict): boolean {
  return POSTURE_PARTS.every((part) => postureTestedAt(posture, part) !== null);
}

const POST_QUANTUM: Record<PostureVerdict['postQuantum']['state'], string> = {
  negotiated: 'negotiated',
  not_offered: 'not offered',
  intolerant: 'the server does not answer clients that offer it',
  unknown: 'unknown',
};

function caaText(caa: PostureVerdict['caa']): string {
  switch (caa.outcome) {
    case 'records':
      return `${caa.records.map(({ tag, value }) => code(`${tag} ${value}`)).join(', ')} at ${code(caa.domain)}`;
    case 'none':
      return 'none: any authority may issue';
    case 'unreadable':
      return `the records at ${code(caa.domain)} could not be read`;
    case 'not_applicable':
      return 'not applicable to IP addresses';
    default:
      return 'could not be read';
  }
}

function registrationText(registration: PostureVerdict['registration']): string {
  switch (registration.outcome) {
    case 'expires': {
      const { domain, expiresAt, registrar } = registration;
      const by = registrar === null ? '' : ` (${plain(registrar)})`;
      return `${code(domain)} until ${longInstant(expiresAt)}${by}`;
    }
    case 'no_date':
      return `the registry of ${code(registration.domain)} publishes no date`;
    case 'not_found':
      return `${code(registration.domain)} is not in the registry`;
    case 'unavailable':
      return `the registry of ${code(registration.domain)} gave no answer`;
    default:
      return 'not applicable';
  }
}

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
    ...(keys.length === 0 ? [] : [`certificates for ${listed(keys)} keys`]),
    ...(versions.length === 0 ? [] : [`TLS ${listed(versions.map(versionNumber))}`]),
    ...(postQuantum.state === 'unknown' ? ['post-quantum key exchange'] : []),
  ];
}

/** Returns the number of a TLS version in OpenSSL's words: "1.0" for `TLSv1`. */
function versionNumber(version: string): string {
  const number = version.replace('TLSv', '');
  return number.includes('.') ? number : `${number}.0`;
}
