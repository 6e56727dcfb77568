import { CLIENT_NAMES, KEY_TYPE_NAMES } from '../../../../contract/check-words.ts';
import type { PostureWire } from '../../../../contract/domain-report.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { tlsName } from './address-verdict.ts';
import { listed, longDate } from '../../../lib/format.ts';

/** Returns the versions that the server offers, such as 'TLS 1.2 and 1.3'. */
export function tlsVersionsLine(versions: PostureWire['tls_versions']): string {
  const named = (offered: boolean | null) =>
    listed(
      versions
        .filter((each) => each.offered === offered)
        .map(({ version }, index) => (index === 0 ? tlsName(version) : tlsName(version).replace('TLS ', ''))),
    );
  const offered = named(true);
  if (offered !== '') return offered;
  return named(null) === '' ? 'None known' : 'Unknown: no response';
}

/** Returns the key type of a further certificate and the clients that get it: 'RSA, for Go and GnuTLS'. */
export function servedToLine({ key_type: keyType, clients }: PostureWire['alternates'][number]): string {
  const names = clients.map((client) => CLIENT_NAMES[client]);
  return [KEY_TYPE_NAMES[keyType], ...(names.length === 0 ? [] : [`for ${listed(names)}`])].join(', ');
}

/** Returns 'Not tested', or 'Not tested yet' if a later check will do the tests. */
export function notTestedTerm({ is_complete: isComplete }: Pick<PostureWire, 'is_complete'>): string {
  return isComplete ? 'Not tested' : 'Not tested yet';
}

/** Returns 'Certificates for RSA keys; TLS 1.0'. */
export function notTestedLine(untested: PostureWire['not_tested']): string {
  const line = untested.join('; ');
  return line.charAt(0).toUpperCase() + line.slice(1);
}

const POST_QUANTUM: Record<PostureWire['post_quantum']['state'], string> = {
  negotiated: 'protects recorded traffic from later decryption by quantum computers',
  not_offered: 'the server does not offer post-quantum key exchange yet',
  intolerant: 'the handshake fails when a client offers post-quantum key exchange, as new browsers do',
  unknown: 'we could not find out whether the server supports post-quantum key exchange',
};

/** Returns the group that the server chooses if a client offers post-quantum ones, and what that means: 'X25519MLKEM768: …'. */
export function keyExchangeLine({ state, group }: PostureWire['post_quantum']): string {
  const words = POST_QUANTUM[state];
  return group === null ? words.charAt(0).toUpperCase() + words.slice(1) : `${visibleText(group)}: ${words}`;
}

/** Returns who may issue certificates for the name, one line per record. */
export function caaLines(caa: PostureWire['caa']): string[] {
  if (caa.outcome === 'unavailable') return ['Unknown: the DNS lookup failed'];
  if (caa.outcome === 'unreadable')
    return [`Unknown: the records at ${visibleText(caa.domain)} could not be read`];
  if (caa.outcome === 'not_applicable') return ['CAA does not apply to IP addresses'];
  if (caa.outcome === 'none') return ['No records: any CA may issue for this name'];
  return caa.records.map(
    ({ critical, tag, value }) =>
      `${visibleText(tag)} "${visibleText(value)}"${critical ? ', critical' : ''}`,
  );
}

/** Returns until when the domain is registered, or why that is unknown; null for names that nobody registers. */
export function registrationLine(registration: PostureWire['registration']): string | null {
  if (registration.outcome === 'not_applicable') return null;
  const domain = visibleText(registration.domain);
  switch (registration.outcome) {
    case 'expires': {
      const registrar = registration.registrar === null ? '' : ` with ${visibleText(registration.registrar)}`;
      return `${domain} is registered until ${longDate(registration.expiry_date)}${registrar}`;
    }
    case 'no_date':
      return `The registry publishes no date for ${domain}`;
    case 'not_found':
      return `The registry has no entry for ${domain}`;
    default:
      return `The registry of ${domain} has no lookup service or did not respond`;
  }
}

/** Returns the line that summarises the facts while they are folded. */
export function postureLine({
  tls_versions: versions,
  post_quantum: postQuantum,
  not_tested: untested,
  is_complete,
}: PostureWire): string {
  const quantum = postQuantum.state === 'negotiated' ? ', post-quantum key exchange' : '';
  const term = notTestedTerm({ is_complete }).toLowerCase();
  const rest = untested.length === 0 ? '' : `; ${term}: ${untested.join('; ')}`;
  return `${tlsVersionsLine(versions)}${quantum}${rest}`;
}
