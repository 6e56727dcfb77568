import { factsOf, type Protocol } from '../../contract/protocols.ts';
import { NO_SERVER_NAME, TARGET_FIELDS, type TargetField } from '../../contract/check-words.ts';
import { serviceOf } from './protocol.ts';

/** The fields of a target in normalised form. A field that has its default is absent. */
export type TargetFields = { readonly [Field in TargetField]?: string };

/** What names an endpoint. `target` is in the form that `writeTarget` returns; it is absent or empty without a target. */
export interface Targeted {
  host: string;
  port: number;
  target?: string;
}

/** What identifies an endpoint. */
export interface CheckedEndpoint extends Targeted {
  protocol: Protocol;
}

/** The settings of a check with all defaults filled in. */
export interface EffectiveTarget {
  /** Name or IP address without brackets, and port to connect to. */
  connectTo: { host: string; port: number };
  /** Name for SNI; null to send none. An IP address is never sent (RFC 6066 §3). */
  serverName: string | null;
  /** Name or IP address that the certificate must be valid for. */
  verifyName: string;
  /** As in `isExpectedStatus`. */
  expectedStatus: string | null;
  /** Family of the addresses to check; null for both. */
  family: 4 | 6 | null;
}

/**
 * Returns the canonical text of a target, by which endpoints are compared and stored: JSON with the fields in a fixed order; empty
 * if there are none.
 */
export function writeTarget(fields: TargetFields): string {
  const set = TARGET_FIELDS.filter((field) => fields[field] !== undefined);
  return set.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(set.map((field) => [field, fields[field]])));
}

/** Reads the text that `writeTarget` returned. */
export function readTarget(text = ''): TargetFields {
  if (text === '') return {};
  const read: unknown = JSON.parse(text);
  const known = typeof read === 'object' && read !== null ? Object.entries(read) : [];
  return Object.fromEntries(
    known.filter(
      ([name, value]) => TARGET_FIELDS.some((field) => field === name) && typeof value === 'string',
    ),
  );
}

/**
 * Returns only what identifies an endpoint. Leaves an empty target out, so that evidence and messages of most domains have no such
 * field.
 */
export function identityOf({ protocol, ...named }: CheckedEndpoint): CheckedEndpoint {
  return { ...nameOf(named), protocol };
}

/** Returns a string that is equal for equal endpoints only. */
export function identityKey({ protocol, host, port, target = '' }: CheckedEndpoint): string {
  return `${protocol} ${host} ${port} ${target}`;
}

/** Returns only what names an endpoint, without an empty target. */
export function nameOf({ host, port, target }: Targeted): Targeted {
  return target ? { host, port, target } : { host, port };
}

/** Fills in the defaults of an endpoint's target. */
export function effectiveTarget({
  host,
  port,
  protocol = 'tls',
  target,
}: Targeted & { protocol?: Protocol }): EffectiveTarget {
  const {
    connect_to: connectTo,
    server_name: serverName,
    verify_name: verifyName,
    ...fields
  } = readTarget(target);
  const verified = verifyName ?? host;
  const usualServerName = factsOf(serviceOf({ port, protocol })).srv === undefined ? host : verified;
  return {
    connectTo: connectTo === undefined ? { host, port } : readHostAndPort(connectTo, port),
    serverName: serverName === NO_SERVER_NAME ? null : (serverName ?? usualServerName),
    verifyName: verified,
    expectedStatus: fields.expected_status ?? null,
    family: fields.family === undefined ? null : fields.family === '4' ? 4 : 6,
  };
}

/** Returns whether a normalised host is an IP address. */
export function isIpText(host: string): boolean {
  return host.includes(':') || /^[\d.]+$/.test(host);
}

/** Splits a normalised `connect_to` such as "10.0.0.7", "[2001:db8::1]:8443" or "backend.example:8443". */
function readHostAndPort(text: string, absent: number): { host: string; port: number } {
  const [, v6, name = '', port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { host: v6 ?? name, port: port === undefined ? absent : Number(port) };
}

/** Returns what distinguishes the endpoint from others of its host, to be added to its name; empty without a target. */
export function targetSuffix(target: string | undefined): string {
  const fields = readTarget(target);
  const others = [
    fields.server_name &&
      (fields.server_name === NO_SERVER_NAME ? 'no server name' : `server name ${fields.server_name}`),
    fields.verify_name && `verifies ${fields.verify_name}`,
    fields.expected_status && `status ${fields.expected_status}`,
    fields.family && `IPv${fields.family}`,
  ].filter(Boolean);
  const via = fields.connect_to === undefined ? '' : ` via ${fields.connect_to}`;
  return others.length === 0 ? via : `${via} (${others.join(', ')})`;
}

/** Describes a target in one sentence; null without a target. */
export function describeTarget(target: string | undefined): string | null {
  const fields = readTarget(target);
  const parts = [
    fields.connect_to && `connects to ${fields.connect_to}`,
    fields.server_name &&
      (fields.server_name === NO_SERVER_NAME
        ? 'sends no server name'
        : `sends the server name ${fields.server_name}`),
    fields.verify_name && `expects a certificate for ${fields.verify_name}`,
    fields.expected_status && `expects the HTTP status ${fields.expected_status}`,
    fields.family && `uses IPv${fields.family} only`,
  ].filter((part) => part !== undefined);
  const [last = '', ...before] = parts.toReversed();
  if (last === '') return null;
  const list = before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
  return `The check ${list}.`;
}
