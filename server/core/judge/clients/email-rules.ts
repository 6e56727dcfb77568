import { domainToUnicode } from 'node:url';
import type { Protocol } from '../../../../contract/protocols.ts';
import { type Client, CLIENTS } from '../../../../contract/check-words.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import { EMAIL_ADDRESS } from '../../../pki/der/object-identifiers.ts';
import type { GeneralName, NameConstraints } from '../../../pki/names/general-name.ts';
import { type Mailbox, splitMailbox } from '../../../pki/names/name-constraints.ts';
import { type ClientRule, type Refusal, refusalsBy } from './client-rule.ts';

/** The rule of this file. Its clients depend on the addresses. */
export const EMAIL_RULE = {
  code: 'email_constraint',
  why: 'they cannot compare an e-mail address with the name constraints of its authority, or find it excluded by them',
  fix: 'Have the certificate reissued without e-mail addresses, or ask your authority for an intermediate without constraints on them.',
  clients: CLIENTS,
  source:
    'measured; name_constraints.cc of BoringSSL, pkixnames.cpp of mozilla::pkix, v3_ncons.c of OpenSSL, name_constraints.c of ' +
    'GnuTLS, constraints.go of Go, RFC822Name.java of OpenJDK',
  applies: () => true,
} as const satisfies ClientRule<unknown>;

/**
 * Returns what some clients refuse in a valid path because they compare the e-mail addresses of a certificate with the name
 * constraints above it in their own way (RFC 5280 §4.2.1.10). `path`: leaf first, anchor last.
 */
export function emailRefusals(
  path: readonly Certificate[],
  protocol: Protocol,
): Refusal<typeof EMAIL_RULE.code>[] {
  const [leaf] = path;
  const refusing = leaf === undefined ? new Set() : refusingClients(path.slice(0, -1));
  if (leaf === undefined || refusing.size === 0) return [];
  const clients = CLIENTS.filter((client) => refusing.has(client));
  return refusalsBy([{ ...EMAIL_RULE, clients }], { certificate: leaf }, 'leaf', protocol);
}

/** Returns the clients that refuse one of these certificates, which are a path without its anchor, leaf first. */
function refusingClients(links: readonly Certificate[]): ReadonlySet<Client> {
  const refusing = new Set<Client>();
  let above: Above | null = null;
  for (const link of links.toReversed()) {
    const isLeaf = link === links[0];
    if (above !== null && (isLeaf || !link.selfIssued))
      for (const client of refusedBelow(above, emailsOf(link))) refusing.add(client);
    if (isLeaf || link.nameConstraints === null) continue;
    above = withConstraints(above ?? NOTHING, link.nameConstraints);
    for (const client of refusingBases(link.nameConstraints)) refusing.add(client);
  }
  return refusing;
}

/** The constraints on e-mail addresses in all CA certificates above a certificate. */
interface Above {
  permitted: readonly Bases[];
  excluded: Bases;
  /** Clients that refuse every address, because they cannot read one of the bases or take an excluded one to cover every address. */
  refusingAll: ReadonlySet<Client>;
}

/** Bases of constraints: hosts, domains with a leading dot, and mailboxes. Hosts are in lower case. */
interface Bases {
  hosts: ReadonlySet<string>;
  /** Hosts and domains that end with dots, here without these dots. */
  dotted: ReadonlySet<string>;
  mailboxes: ReadonlySet<string>;
  /** Mailboxes in lower case. */
  lowerCase: ReadonlySet<string>;
  /** Mailboxes without quotation marks. */
  unquoted: ReadonlySet<string>;
}

const NO_BASES: Bases = {
  hosts: new Set(),
  dotted: new Set(),
  mailboxes: new Set(),
  lowerCase: new Set(),
  unquoted: new Set(),
};
const NOTHING: Above = { permitted: [], excluded: NO_BASES, refusingAll: new Set() };

const emailsAmong = (names: readonly GeneralName[]): string[] =>
  names.flatMap((name) => (name.kind === 'email' ? [name.value] : []));

function withConstraints(above: Above, { permitted, excluded }: NameConstraints): Above {
  const [allowed, forbidden] = [emailsAmong(permitted), emailsAmong(excluded)];
  const refusingAll = new Set(above.refusingAll);
  if (!forbidden.every(isBaseOfChromium)) refusingAll.add('chromium');
  if (![...allowed, ...forbidden].every(isBaseOfFirefox) || forbidden.includes(''))
    refusingAll.add('firefox');
  if (forbidden.includes('')) refusingAll.add('gnutls');
  if (forbidden.includes('') || forbidden.includes('.')) refusingAll.add('go');
  return {
    permitted: allowed.length === 0 ? above.permitted : [...above.permitted, addBases(NO_BASES, allowed)],
    excluded: forbidden.length === 0 ? above.excluded : addBases(above.excluded, forbidden),
    refusingAll,
  };
}

function addBases(known: Bases, bases: readonly string[]): Bases {
  const hosts = bases.filter((base) => !base.includes('@')).map((base) => base.toLowerCase());
  const mailboxes = bases.flatMap((base) => splitMailbox(base) ?? []);
  const texts = mailboxes.map(textOf);
  return {
    hosts: known.hosts.union(new Set(hosts)),
    dotted: known.dotted.union(new Set(hosts.filter((host) => host.endsWith('.')).map(withoutDots))),
    mailboxes: known.mailboxes.union(new Set(texts)),
    lowerCase: known.lowerCase.union(new Set(texts.map((text) => text.toLowerCase()))),
    unquoted: known.unquoted.union(new Set(mailboxes.map(unquotedTextOf))),
  };
}

function withoutDots(host: string): string {
  let end = host.length;
  while (host[end - 1] === '.') end--;
  return host.slice(0, end);
}

const textOf = ({ local, host }: Mailbox): string => `${local}@${host}`;

/** Returns the mailbox as Go compares it: `"a\b"@c` is the mailbox ab@c. */
const unquotedTextOf = ({ local, host }: Mailbox): string =>
  `${local.startsWith('"') ? local.slice(1, -1).replace(/\\(.)/g, '$1') : local}@${host}`;

interface EmailNames {
  /** Addresses in the subject alternative name. */
  alternative: readonly string[];
  /** Addresses in the subject; null for a value that is no IA5String. */
  subject: readonly (string | null)[];
  /** Internationalised addresses. Only OpenSSL compares them. */
  international: readonly string[];
  hasAlternativeName: boolean;
}

const IA5_STRING = 0x16;

function emailsOf({ subject, subjectAltNames }: Certificate): EmailNames {
  return {
    alternative: subjectAltNames.emailAddresses,
    subject: subject.relativeNames
      .flat()
      .filter(({ type }) => type === EMAIL_ADDRESS)
      .map(({ tag, text }) => (tag === IA5_STRING ? text : null)),
    international: subjectAltNames.all.flatMap((name) =>
      name.kind === 'unsupported' ? (name.smtpMailbox ?? []) : [],
    ),
    hasAlternativeName: subjectAltNames.all.length > 0,
  };
}

function refusedBelow(
  above: Above,
  { alternative, subject, international, hasAlternativeName }: EmailNames,
): Set<Client> {
  const refusing = new Set<Client>();
  const { permitted, excluded, refusingAll } = above;
  const isConstrained = permitted.length > 0 || excluded.hosts.size + excluded.mailboxes.size > 0;
  const ofSubject = subject.filter((text) => text !== null);
  // RFC 5280 §4.2.1.10: addresses in the subject count only if there is no subject alternative name.
  const counted = hasAlternativeName ? alternative : ofSubject;
  if (subject.includes(null)) {
    refusing.add('openssl');
    if (!hasAlternativeName) refusing.add('firefox');
    if (alternative.length === 0 && permitted.length > 0) refusing.add('gnutls');
  }
  if (!alternative.every(isMailboxOfGo)) refusing.add('go');
  if (!isConstrained && refusingAll.size === 0) return refusing;
  if (counted.length > 0) for (const client of refusingAll) refusing.add(client);
  // OpenSSL always compares the addresses in the subject.
  if (!ofSubject.every((text) => isPermitted(text, above)) || !areHostsPermitted(international, above))
    refusing.add('openssl');
  for (const text of counted) {
    const mailbox = splitMailbox(text);
    if (mailbox === null) continue;
    if (mailbox.local.startsWith('"')) refusing.add('chromium').add('firefox');
    if (!isHostOfFirefox(mailbox.host)) refusing.add('firefox');
    if (excluded.lowerCase.has(text.toLowerCase())) {
      refusing.add('firefox').add('java');
      if (!hasAlternativeName) refusing.add('chromium');
    }
    if (isHostAmong(mailbox.host, excluded.dotted)) refusing.add('gnutls');
    if (hasAlternativeName && excluded.unquoted.has(unquotedTextOf(mailbox))) refusing.add('go');
  }
  return refusing;
}

function isPermitted(text: string, { permitted, excluded }: Above): boolean {
  const mailbox = splitMailbox(text);
  return (
    mailbox !== null && permitted.every((bases) => isCovered(mailbox, bases)) && !isCovered(mailbox, excluded)
  );
}

/** Returns whether OpenSSL permits internationalised addresses. It compares only their hosts; a base may be in Punycode (RFC 9598 §6). */
function areHostsPermitted(addresses: readonly string[], { permitted, excluded }: Above): boolean {
  if (addresses.length === 0) return true;
  const inUnicode = ({ hosts }: Bases): Set<string> =>
    new Set([...hosts].map((host) => (host.includes('xn--') ? domainToUnicode(host) : host)));
  const [allowed, forbidden] = [permitted.map(inUnicode), inUnicode(excluded)];
  return addresses.every((address) => {
    const host = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
    return address.includes('@') && allowed.every((hosts) => hosts.has(host)) && !forbidden.has(host);
  });
}

const isCovered = (mailbox: Mailbox, { hosts, mailboxes }: Bases): boolean =>
  mailboxes.has(textOf(mailbox)) || isHostAmong(mailbox.host, hosts);

/** Returns whether a host is one of `hosts`, or below one of the domains with a leading dot among them. */
function isHostAmong(host: string, hosts: ReadonlySet<string>): boolean {
  if (hosts.has(host)) return true;
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
    if (hosts.has(host.slice(dot))) return true;
  return false;
}

/** Returns the clients that refuse every path with these constraints, because they cannot read them. */
function refusingBases({ permitted, excluded }: NameConstraints): Client[] {
  const bases = [...emailsAmong(permitted), ...emailsAmong(excluded)];
  const isUnreadable: Partial<Record<Client, (base: string) => boolean>> = {
    java: (base) => /^(?:[^@]*@)?\.?$/.test(base),
    gnutls: (base) => base === '.' || base.includes('..'),
    go: (base) =>
      base.includes('@') ? !isMailboxOfGo(base) : base !== '' && base !== '.' && !HOST_OF_GO.test(base),
  };
  return CLIENTS.filter((client) => bases.some((base) => isUnreadable[client]?.(base) === true));
}

const isBaseOfChromium = (base: string): boolean =>
  /^(?:[a-z0-9!#$%&'*+/=?^_`{|}~.-]+@)?[a-z0-9.-]+$/i.test(base);

function isBaseOfFirefox(base: string): boolean {
  if (!base.includes('@')) return base === '' || isHostOfFirefox(base.replace(/^\./, ''));
  const mailbox = splitMailbox(base);
  return mailbox !== null && !mailbox.local.startsWith('"') && isHostOfFirefox(mailbox.host);
}

function isHostOfFirefox(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}

/** A host, or a domain with a leading dot, whose first label may be empty in Go. */
const HOST_OF_GO = /^\.{0,2}[!-\-/-~]+(?:\.[!-\-/-~]+)*$/;

const isMailboxOfGo = (text: string): boolean =>
  /^(?:"(?:[^"\\\0\n\r]|\\[^\0\n\r])*"|[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*)@[!-\-/-~]*(?:\.[!-\-/-~]+)*$/i.test(
    text,
  );
