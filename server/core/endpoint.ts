import { domainToUnicode } from 'node:url';
import { normaliseExpectedStatus } from './expected-status.ts';
import { srvServices } from './srv.ts';
import { protocolOfPort, type Scheme, schemeNamed } from './protocol.ts';
import {
  type CheckedEndpoint,
  readTarget,
  type Targeted,
  type TargetFields,
  targetSuffix,
  writeTarget,
} from './target.ts';
import { PROTOCOL_NAMES } from '../../contract/protocols.ts';
import { NO_SERVER_NAME, TARGET_LABELS, type TargetField } from '../../contract/check-words.ts';

/**
 * One port of one host, with the protocol to use there: the one that the scheme selects, else the usual protocol of the port. `host` is a name as
 * lower-case A-labels, or an IP address in canonical form without brackets.
 */
export interface Endpoint extends CheckedEndpoint {
  kind: 'name' | 'local-name' | 'ip';
}

/** The fields of a target as a person gave them. Empty text has the same meaning as an absent field. */
type TypedTarget = { readonly [Field in TargetField]?: string | null };

const REFUSALS = {
  empty: 'Please enter a valid host address',
  too_long: 'A host name can have at most 253 characters.',
  control_character: 'The address contains an invisible character. Type it instead of pasting it.',
  scheme: `Only ${new Intl.ListFormat('en').format(PROTOCOL_NAMES)} addresses can be tracked. Enter the host name alone, for example example.com.`,
  backslash: 'A host address cannot contain a backslash.',
  port: 'The port must be a whole number from 1 to 65535.',
  brackets: 'Put an IPv6 address in brackets, for example [2001:db8::1] or [2001:db8::1]:8443.',
  zone_id: 'An IPv6 address with a zone (%) works on one machine only and cannot be tracked.',
  ip_literal: 'That is not a valid IPv6 address.',
  percent_encoding:
    'A host address cannot contain percent-encoding (%). Enter the decoded name, for example bücher.example.',
  ambiguous_ip: 'Write an IPv4 address as four decimal numbers, for example 192.0.2.10.',
  wildcard: 'A wildcard stands for many hosts. Enter one of them, for example www.example.com.',
  empty_label: 'The host name has two dots in a row or starts with a dot.',
  label_too_long: 'Each part of a host name between the dots can have at most 63 characters.',
  hyphen: 'A part of a host name cannot start or end with a hyphen.',
  invalid_character: 'A host name can contain letters, digits, hyphens, underscores and dots only.',
  address_refused:
    'This IP address is private or reserved and cannot be tracked here. The operator can allow private ranges (EGRESS_ALLOW_CIDRS).',
  local_name:
    'This name works on a local network only and cannot be tracked here. Enter a public host name. The operator can allow private ranges (EGRESS_ALLOW_CIDRS).',
  connect_to:
    'Enter a host name or an IP address, with a port if it is another one, for example 10.0.0.7:8443 or [2001:db8::1].',
  server_name:
    'Enter a host name, because TLS sends no IP address as the server name (SNI), or “none” to send none.',
  verify_name: 'Enter a host name or an IP address that the certificate must be valid for.',
  expected_status: 'Enter HTTP statuses and ranges of them from 100 to 999, for example 200-399,401.',
  status_without_http: 'Only https has an HTTP status. If the host is a website, write https:// before it.',
  family: 'Enter 4 or 6.',
  other_family: 'The IP address to connect to is not of this family.',
} as const;

export type EndpointErrorCode = keyof typeof REFUSALS;

export type NormalisedEndpoint =
  { ok: true; endpoint: Endpoint } | { ok: false; code: EndpointErrorCode; message: string };

/** The rules of the egress policy that apply to user input. The addresses that a name resolves to are checked separately. */
export interface EndpointPolicy {
  permitsAddress(ip: string): boolean;
  permitsLocalNames: boolean;
}

const DEFAULT_PORT = 443;
/** Longest input in characters. It is far above any host name, because a pasted URL may have a long path. */
const MAX_INPUT_LENGTH = 2_048;
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa', 'onion'];

type PortAndProtocol = Pick<Endpoint, 'port' | 'protocol'>;

/**
 * Parses a host name, `host:port`, a URL (also `smtp://mail.example.com`) or an IP address, and the fields of a target. Returns a code and a
 * message if something is invalid, or if the policy forbids the address to connect to. Names that are only sent (SNI) may be local.
 */
export function normaliseEndpoint(
  input: string,
  policy: EndpointPolicy,
  typed: TypedTarget = {},
): NormalisedEndpoint {
  const isElsewhere = textOf(typed.connect_to) !== '';
  const normalised = normaliseHost(input, isElsewhere ? PERMITS_EVERYTHING : policy);
  return normalised.ok ? withTarget(normalised.endpoint, typed, policy) : normalised;
}

/** Policy for a name or an address that is not contacted. */
const PERMITS_EVERYTHING: EndpointPolicy = { permitsAddress: () => true, permitsLocalNames: true };

const textOf = (typed: string | null | undefined): string => typed?.trim() ?? '';

function normaliseHost(input: string, policy: EndpointPolicy): NormalisedEndpoint {
  const text = input.trim();
  if (text === '') return refuse('empty');
  if (text.length > MAX_INPUT_LENGTH) return refuse('too_long');
  if (/\p{Cc}/u.test(text)) return refuse('control_character');
  // Browsers read a backslash as a slash, RFC 3986 does not, so they find different hosts in "https://a\@b".
  if (text.includes('\\')) return refuse('backslash');

  // Refuse mail links, because a person who pastes one means a mailbox and not a host. Otherwise we would monitor its mail
  // domain.
  if (/^mailto:/i.test(text)) return refuse('invalid_character');
  const written = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text);
  const scheme = schemeNamed(written?.[1] ?? 'http');
  if (scheme === null) return refuse('scheme');
  const [authority = ''] = text.slice(written?.[0].length ?? (text.startsWith('//') ? 2 : 0)).split(/[/?#]/);
  return fromAuthority(authority.slice(authority.lastIndexOf('@') + 1).trim(), scheme, policy);
}

function fromAuthority(hostAndPort: string, scheme: Scheme, policy: EndpointPolicy): NormalisedEndpoint {
  const literal = /^\[(.*)\](?::(.*))?$/s.exec(hostAndPort);
  if (literal === null && hostAndPort.split(':').length > 2) return refuse('brackets');
  const [name = '', plainPort] = hostAndPort.split(':');
  const writtenPort = literal === null ? plainPort : literal[2];
  const port = readPort(writtenPort, scheme.port);
  if (port === null) return refuse('port');
  const portAndProtocol = { port, protocol: scheme.protocol ?? protocolOfPort(port) };
  const read =
    literal === null
      ? fromName(name, portAndProtocol, policy)
      : fromIpv6(literal[1] ?? '', portAndProtocol, policy);
  if (!read.ok || writtenPort === undefined || srvServices(read.endpoint).length === 0) return read;
  // A port in the input means this host, and not the servers that SRV records name (RFC 6120 §3.2.3).
  return {
    ok: true,
    endpoint: { ...read.endpoint, target: writeTarget({ connect_to: read.endpoint.host }) },
  };
}

/** Adds the target, without fields that equal their default. */
function withTarget(endpoint: Endpoint, typed: TypedTarget, policy: EndpointPolicy): NormalisedEndpoint {
  const { host, port, protocol } = endpoint;
  const fields: { -readonly [Field in keyof TargetFields]: string } = { ...readTarget(endpoint.target) };
  const hasServers = srvServices({ host, port, protocol }).length > 0;
  let connected: Pick<Endpoint, 'host' | 'kind'> = endpoint;

  const connectTo = textOf(typed.connect_to);
  if (connectTo !== '') {
    const read = readName(connectTo, port, policy);
    if (!read.ok) return refuseField('connect_to', read.code === 'empty' ? 'connect_to' : read.code);
    connected = read.endpoint;
    const shown = bracketed(read.endpoint.host);
    const isOtherPort = read.endpoint.port !== port;
    if (isOtherPort) fields.connect_to = `${shown}:${read.endpoint.port}`;
    else if (read.endpoint.host !== host || hasServers) fields.connect_to = shown;
  }

  const serverName = textOf(typed.server_name);
  if (serverName.toLowerCase() === NO_SERVER_NAME) {
    if (endpoint.kind !== 'ip') fields.server_name = NO_SERVER_NAME;
  } else if (serverName !== '') {
    const name = onlyName(serverName);
    if (name === null || name.kind === 'ip') return refuseField('server_name', 'server_name');
    if (name.host !== host) fields.server_name = name.host;
  }

  const verifyName = textOf(typed.verify_name);
  if (verifyName !== '') {
    const name = onlyName(verifyName);
    if (name === null) return refuseField('verify_name', 'verify_name');
    if (name.host !== host) fields.verify_name = name.host;
  }

  const status = textOf(typed.expected_status);
  if (status !== '') {
    const expected = normaliseExpectedStatus(status);
    if (expected === null) return refuseField('expected_status', 'expected_status');
    if (protocol !== 'https') return refuseField('expected_status', 'status_without_http');
    fields.expected_status = expected;
  }

  const family = textOf(typed.family);
  if (family !== '') {
    const number = /^(?:ipv)?([46])$/i.exec(family)?.[1];
    if (number === undefined) return refuseField('family', 'family');
    if (connected.kind !== 'ip') fields.family = number;
    else if (connected.host.includes(':') !== (number === '6')) return refuseField('family', 'other_family');
  }

  const target = writeTarget(fields);
  return { ok: true, endpoint: target === '' ? endpoint : { ...endpoint, target } };
}

/** Parses a name or an IP address with an optional port, but no scheme, user or path. */
function readName(text: string, absentPort: number, policy: EndpointPolicy): NormalisedEndpoint {
  if (text.length > MAX_INPUT_LENGTH) return refuse('too_long');
  if (/[/?#@\\\s]|\p{Cc}/u.test(text)) return refuse('connect_to');
  return fromAuthority(text, { port: absentPort, protocol: null }, policy);
}

/** Parses a name or an IP address alone, which may be an IPv6 address without brackets; null for other text. */
function onlyName(text: string): Endpoint | null {
  const isBareV6 = !text.startsWith('[') && text.split(':').length > 2;
  const read = readName(isBareV6 ? `[${text}]` : text, NO_PORT, PERMITS_EVERYTHING);
  return read.ok && read.endpoint.port === NO_PORT ? read.endpoint : null;
}

/** Stands for "no port was given"; no input has it. */
const NO_PORT = 0;

/**
 * Returns the display name of an endpoint: Unicode labels, the port unless it is 443, IPv6 in brackets, and what its target says,
 * for example "example.com via 10.0.0.7".
 */
export function displayName(endpoint: Targeted): string {
  const { host, port, target } = endpoint;
  const shown = host.includes(':') ? bracketed(host) : unicodeName(host);
  return `${port === DEFAULT_PORT ? shown : `${shown}:${port}`}${targetSuffix(target)}`;
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Refuses a field of the target, with its name in front of the reason. */
function refuseField(field: TargetField, code: EndpointErrorCode): NormalisedEndpoint {
  return { ok: false, code, message: `${TARGET_LABELS[field]}: ${REFUSALS[code]}` };
}

function refuse(code: EndpointErrorCode): NormalisedEndpoint {
  return { ok: false, code, message: REFUSALS[code] };
}

function readPort(text: string | undefined, absent: number): number | null {
  if (text === undefined) return absent;
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : null;
}

function fromIpv6(
  literal: string,
  portAndProtocol: PortAndProtocol,
  policy: EndpointPolicy,
): NormalisedEndpoint {
  if (literal.includes('%')) return refuse('zone_id');
  const canonical = URL.parse(`http://[${literal}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined || !/^[0-9a-f:.]+$/i.test(literal)) return refuse('ip_literal');
  // Each host has one spelling, so an IPv4-mapped address (RFC 4291 §2.5.5.2) becomes the IPv4 address.
  return fromIp(mappedIpv4(canonical) ?? canonical, portAndProtocol, policy);
}

function fromIp(ip: string, portAndProtocol: PortAndProtocol, policy: EndpointPolicy): NormalisedEndpoint {
  if (!policy.permitsAddress(ip)) return refuse('address_refused');
  return { ok: true, endpoint: { host: ip, ...portAndProtocol, kind: 'ip' } };
}

/**
 * Returns the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2); null for other addresses. `canonical` is the
 * form that the URL standard writes, with mapped addresses in hexadecimal.
 */
export function mappedIpv4(canonical: string): string | null {
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (groups === null) return null;
  const [high, low] = [parseInt(groups[1] ?? '', 16), parseInt(groups[2] ?? '', 16)];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

function fromName(
  typed: string,
  portAndProtocol: PortAndProtocol,
  policy: EndpointPolicy,
): NormalisedEndpoint {
  if (typed === '' || typed === '.') return refuse('empty');
  if (typed.includes('%')) return refuse('percent_encoding');
  if (typed.includes('*')) return refuse('wildcard');
  const mapped = mapToAscii(typed);
  if (mapped === null) return refuse('invalid_character');
  const host = mapped.endsWith('.') ? mapped.slice(0, -1) : mapped;

  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  if (/^(\d+|0x[0-9a-f]*)$/.test(last)) {
    return isDottedDecimal(typed.replace(/\.$/, ''))
      ? fromIp(host, portAndProtocol, policy)
      : refuse('ambiguous_ip');
  }
  if (labels.includes('')) return refuse('empty_label');
  if (host.length > MAX_NAME_LENGTH) return refuse('too_long');
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH)) return refuse('label_too_long');
  // RFC 1123 §2.1 allows no underscores in host names, but DNS, servers and browsers accept them.
  if (/[^a-z0-9._-]/.test(host)) return refuse('invalid_character');
  if (labels.some((label) => label.startsWith('-') || label.endsWith('-'))) return refuse('hyphen');

  const isLocal =
    labels.length === 1 || LOCAL_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
  if (isLocal && !policy.permitsLocalNames) return refuse('local_name');
  return {
    ok: true,
    endpoint: { host, ...portAndProtocol, kind: isLocal ? 'local-name' : 'name' },
  };
}

/**
 * Returns the lower-case ASCII form (UTS #46); null if there is none. Plain ASCII skips the URL parser, which would turn
 * "0x7f.1" into 127.0.0.1. The caller validates the result, so full-width digits and dots cannot evade the checks.
 */
function mapToAscii(typed: string): string | null {
  const lower = typed.toLowerCase();
  if (/^[\x21-\x7e]+$/.test(lower)) return lower;
  return URL.parse(`http://${lower}/`)?.hostname ?? null;
}

function isDottedDecimal(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** Returns the Unicode form of a name, or the name itself if that form does not convert back to it. */
export function unicodeName(host: string): string {
  // Skip most names: every check calls this function, and the conversion costs more than everything else in it.
  if (!host.includes('xn--')) return host;
  const shown = domainToUnicode(host);
  return shown !== '' && URL.parse(`http://${shown}/`)?.hostname === host ? shown : host;
}

const MAX_SORT_NAME_LENGTH = 200;

/**
 * Returns what lists sort an international name by, such as "bucher.example" for "xn--bcher-kva.example": its Unicode form without accents,
 * at most 200 characters. Null for all other names, which are sorted as they are.
 */
export function sortName(name: string): string | null {
  const shown = unicodeName(name);
  if (shown === name) return null;
  const plain = shown.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, '');
  return plain.slice(0, MAX_SORT_NAME_LENGTH).toWellFormed();
}
