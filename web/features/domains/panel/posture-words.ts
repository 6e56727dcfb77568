import type { PostureWire } from '../../../../contract/domain-report.ts';
import { longDate } from '../../../lib/dates.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { tlsName } from './address-verdict.ts';

/** 'TLS 1.2 and 1.3', and what got no answer is said to be unknown. */
export function tlsVersionsLine(versions: PostureWire['tls_versions']): string {
  const named = (offered: boolean | null) =>
    listed(
      versions
        .filter((each) => each.offered === offered)
        .map(({ version }, index) => (index === 0 ? tlsName(version) : tlsName(version).replace('TLS ', ''))),
    );
  const offered = named(true);
  const unknown = named(null);
  if (offered === '') return unknown === '' ? 'None that is known' : 'Not known: there was no answer';
  return unknown === '' ? offered : `${offered}; not known of ${unknown}`;
}

const POST_QUANTUM: Record<PostureWire['post_quantum']['state'], string> = {
  negotiated: 'what is recorded today cannot be read by a quantum computer later',
  not_offered: 'not post-quantum: the server does not offer it yet',
  intolerant: 'breaks off when a client offers post-quantum key exchange, as new browsers do',
  unknown: 'not known whether post-quantum is offered',
};

/** 'X25519MLKEM768 with a post-quantum hello: …' */
export function keyExchangeLine({ state, group }: PostureWire['post_quantum']): string {
  const words = POST_QUANTUM[state];
  return group === null
    ? words.charAt(0).toUpperCase() + words.slice(1)
    : `${visibleText(group)} with a post-quantum hello: ${words}`;
}

/** By whom certificates for the name may be issued; each record is a line. */
export function caaLines(caa: PostureWire['caa']): string[] {
  if (caa.outcome === 'unavailable') return ['The name servers did not answer'];
  if (caa.outcome === 'not_applicable') return ['Not for IP addresses'];
  if (caa.outcome === 'none') return ['No records: every CA may issue for this name'];
  return caa.records.map(
    ({ critical, tag, value }) =>
      `${visibleText(tag)} "${visibleText(value)}"${critical ? ', critical' : ''}`,
  );
}

/** Until when the domain is registered, or why that is not known; null where nobody registers such a name. */
export function registrationLine(registration: PostureWire['registration']): string | null {
  if (registration.outcome === 'not_applicable') return null;
  const domain = visibleText(registration.domain);
  switch (registration.outcome) {
    case 'expires': {
      const registrar = registration.registrar === null ? '' : ` with ${visibleText(registration.registrar)}`;
      return `${domain} until ${longDate(registration.expiry_date)}${registrar}`;
    }
    case 'no_date':
      return `The registry publishes no date for ${domain}`;
    case 'not_found':
      return `The registry knows nothing of ${domain}`;
    default:
      return `The registry of ${domain} cannot be asked, or did not answer`;
  }
}

/** The few words that stand where the facts are folded. */
export function postureLine({ tls_versions: versions, post_quantum: postQuantum }: PostureWire): string {
  const quantum = postQuantum.state === 'negotiated' ? ', post-quantum key exchange' : '';
  return `${tlsVersionsLine(versions)}${quantum}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
