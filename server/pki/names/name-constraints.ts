import type { Certificate } from '../certificate.ts';
import { type GeneralName, readGeneralName, SUBTREE_LENGTHS, type UnsupportedForm } from './general-name.ts';
import { EMAIL_ADDRESS } from '../der/object-identifiers.ts';
import type { WorkBudget } from '../work-budget.ts';
import { contextTag, type DerReader, onlyElement, TAG } from '../der/der.ts';
import { countValue } from '../der/der-values.ts';
import { PkiError } from '../pki-error.ts';

/** NameConstraints (RFC 5280 §4.2.1.10): base names of the permitted and excluded subtrees. An absent list is empty. */
export interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
  /** Whether a subtree states its minimum of 0, which DER omits as the default. */
  readonly writesMinimum: boolean;
}

export function parseNameConstraints(value: Uint8Array): NameConstraints {
  const reader = onlyElement(value, TAG.sequence).open();
  // RFC 5280 §4.2.1.10: CAs MUST NOT issue an empty sequence.
  if (reader.done) throw new PkiError('empty', 'name constraints without subtrees');
  const [permitted, excluded] = [readSubtrees(reader, 0), readSubtrees(reader, 1)];
  reader.end();
  const baseOf = ({ base }: Subtree): GeneralName => base;
  return {
    permitted: permitted.map(baseOf),
    excluded: excluded.map(baseOf),
    writesMinimum: [...permitted, ...excluded].some(({ writesMinimum }) => writesMinimum),
  };
}

interface Subtree {
  base: GeneralName;
  writesMinimum: boolean;
}

function readSubtrees(reader: DerReader, number: number): Subtree[] {
  const field = reader.optional(contextTag(number, 'constructed'));
  if (field === null) return [];
  const list = field.open();
  if (list.done) throw new PkiError('empty', 'empty list of subtrees');
  const subtrees: Subtree[] = [];
  while (!list.done) {
    const subtree = list.enter(TAG.sequence);
    const base = readGeneralName(subtree, SUBTREE_LENGTHS);
    checkBase(base);
    const minimum = subtree.optional(contextTag(0, 'primitive'));
    // RFC 5280 §4.2.1.10: minimum must be 0, which DER omits as the default, and maximum must be absent.
    if ((minimum !== null && countValue(minimum) !== 0) || !subtree.done) {
      throw new PkiError('value', 'subtree with a minimum or maximum');
    }
    subtrees.push({ base, writesMinimum: minimum !== null });
  }
  return subtrees;
}

/** Throws PkiError for a base that cannot be applied. Ignoring it would silently weaken the constraints. */
function checkBase(base: GeneralName): void {
  if (base.kind === 'ip') {
    const mask = base.octets.subarray(base.octets.length / 2);
    if (!/^1*0*$/.test([...mask].map((octet) => octet.toString(2).padStart(8, '0')).join(''))) {
      throw new PkiError('value', 'subnet mask is not contiguous');
    }
  } else if (base.kind === 'dns') {
    // Wildcards are invalid, because a base covers its subdomains anyway. Leading dots are common; a profile rule
    // reports them.
    if (!/^\.?(?:[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)?$/i.test(base.value) || base.value === '.') {
      throw new PkiError('value', 'dNSName constraint is not a host name');
    }
  }
}

/**
 * Returns whether all names of a certificate satisfy the constraints of a CA above it (RFC 5280 §4.2.1.10, §6.1.3 b, c). Returns
 * false if a constrained name cannot be compared or `work` runs out: an attacker sets the cost, names × constraints.
 */
export function satisfiesNameConstraints(
  certificate: Certificate,
  constraints: NameConstraints,
  work: WorkBudget,
): boolean {
  const { permitted, excluded } = subtreesOf(constraints);
  for (const name of constrainedNames(certificate)) {
    const permittedSubtrees = permitted.get(name.form);
    const excludedSubtrees = excluded.get(name.form);
    if (!work.spend((permittedSubtrees?.work ?? 0) + (excludedSubtrees?.work ?? 0))) return false;
    if (permittedSubtrees !== undefined && !permittedSubtrees.bases.some((base) => isPermittedBy(name, base)))
      return false;
    if (excludedSubtrees?.bases.some((base) => isExcludedBy(name, base)) === true) return false;
  }
  return true;
}

/** A name, or the base of a subtree, prepared for comparison. Computed once per certificate or constraint. */
type Comparable =
  /** `host`: host name in lower case; null if invalid. `suffix`: ending of all names below this base. */
  | { form: 'dns'; host: string | null; text: string; suffix: string }
  | { form: 'email'; mailbox: Mailbox | null; text: string; suffix: string }
  | { form: 'uri'; host: string | null; text: string; suffix: string }
  | { form: 'ip'; octets: Uint8Array }
  | { form: 'directory'; keys: readonly string[] }
  | { form: UnsupportedForm };
type Form = Comparable['form'];

/** Base names of one form, with the work units for comparing one name with all of them. */
interface Subtrees {
  bases: Comparable[];
  work: number;
}

interface Constraints {
  permitted: Map<Form, Subtrees>;
  excluded: Map<Form, Subtrees>;
}

const namesOf = new WeakMap<Certificate, Comparable[]>();
const constraintsOf = new WeakMap<NameConstraints, Constraints>();

/**
 * Returns the names that constraints apply to: the SANs, the subject, and the subject's email attributes if no SAN is
 * an email address (RFC 5280 §4.2.1.10).
 */
function constrainedNames(certificate: Certificate): Comparable[] {
  const known = namesOf.get(certificate);
  if (known !== undefined) return known;
  const { subject, subjectAltNames } = certificate;
  const names = subjectAltNames.all.map(toComparable);
  if (!subject.isEmpty) names.push({ form: 'directory', keys: subject.relativeKeys });
  if (subjectAltNames.emailAddresses.length === 0) {
    for (const { type, text } of subject.relativeNames.flat()) {
      if (type === EMAIL_ADDRESS && text !== null) names.push(toComparable({ kind: 'email', value: text }));
    }
  }
  namesOf.set(certificate, names);
  return names;
}

function subtreesOf(constraints: NameConstraints): Constraints {
  const known = constraintsOf.get(constraints);
  if (known !== undefined) return known;
  const grouped = {
    permitted: groupByForm(constraints.permitted),
    excluded: groupByForm(constraints.excluded),
  };
  constraintsOf.set(constraints, grouped);
  return grouped;
}

function groupByForm(names: readonly GeneralName[]): Map<Form, Subtrees> {
  const groups = new Map<Form, Subtrees>();
  for (const base of names.map(toComparable)) {
    const group = groups.get(base.form) ?? { bases: [], work: 0 };
    groups.set(base.form, group);
    group.bases.push(base);
    group.work += comparisonWork(base);
  }
  return groups;
}

/** Work units of a comparison that fails at the first character. */
const COMPARISON_WORK = 2;
/** Number of equal characters compared per further work unit. */
const COMPARED_CHARACTERS = 256;

function comparisonWork(base: Comparable): number {
  if (base.form === 'directory')
    return base.keys.reduce(
      (sum, key) => sum + 1 + Math.floor(key.length / COMPARED_CHARACTERS),
      COMPARISON_WORK,
    );
  return COMPARISON_WORK + ('text' in base ? Math.floor(base.text.length / COMPARED_CHARACTERS) : 0);
}

function toComparable(name: GeneralName): Comparable {
  switch (name.kind) {
    case 'dns': {
      const text = name.value.toLowerCase();
      return { form: 'dns', host: isDnsName(text) ? text : null, text, suffix: suffixOf(text) };
    }
    case 'email': {
      const text = name.value.toLowerCase();
      return { form: 'email', mailbox: splitMailbox(name.value), text, suffix: suffixOf(text) };
    }
    case 'uri': {
      const text = name.value.toLowerCase();
      return { form: 'uri', host: uriHost(text), text, suffix: suffixOf(text) };
    }
    case 'ip':
      return { form: 'ip', octets: name.octets };
    case 'directory':
      return { form: 'directory', keys: name.name.relativeKeys };
    default:
      return { form: name.form };
  }
}

function suffixOf(base: string): string {
  return base.startsWith('.') ? base : `.${base}`;
}

function isPermittedBy(name: Comparable, base: Comparable): boolean {
  return isCovered(name, base) ?? false;
}

function isExcludedBy(name: Comparable, base: Comparable): boolean {
  if (name.form === 'dns' && base.form === 'dns' && wildcardMatches(name.text, base.text)) return true;
  return isCovered(name, base) ?? true;
}

/** Returns whether a name lies in the subtree of a base of the same form, or null if they cannot be compared. */
function isCovered(name: Comparable, base: Comparable): boolean | null {
  if (name.form === 'dns' && base.form === 'dns')
    return name.host === null ? null : isHostWithin(name.host, base);
  if (name.form === 'ip' && base.form === 'ip') return isAddressWithin(name.octets, base.octets);
  if (name.form === 'email' && base.form === 'email') return isMailboxWithin(name.mailbox, base);
  // RFC 5280 §4.2.1.10: reject a URI without a host name if URIs are constrained.
  if (name.form === 'uri' && base.form === 'uri')
    return name.host === null ? null : isExactHostWithin(name.host, base);
  if (name.form === 'directory' && base.form === 'directory')
    return base.keys.every((key, index) => name.keys[index] === key);
  return null;
}

type HostBase = { text: string; suffix: string };

/**
 * Returns whether a host lies in the subtree of a base. Compares whole labels: `badexample.com` is not within
 * `example.com`. A base with a leading dot covers only its subdomains.
 */
function isHostWithin(host: string, { text, suffix }: HostBase): boolean {
  return text === '' || host === text || host.endsWith(suffix);
}

function isDnsName(name: string): boolean {
  return name.length <= 255 && /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(name);
}

/**
 * Returns whether a wildcard name matches the excluded base: excluding `foo.example.com` also excludes
 * `*.example.com`.
 */
function wildcardMatches(name: string, base: string): boolean {
  if (!name.startsWith('*.')) return false;
  const dot = base.indexOf('.');
  return dot > 0 && base.length - dot === name.length - 1 && name.endsWith(base.slice(dot));
}

function isAddressWithin(octets: Uint8Array, base: Uint8Array): boolean {
  if (base.length !== octets.length * 2) return false;
  return octets.every((octet, index) => {
    const mask = base[octets.length + index] ?? 0;
    return (octet & mask) === ((base[index] ?? 0) & mask);
  });
}

interface Mailbox {
  local: string;
  /** Host in lower case. */
  host: string;
}

const DOT_STRING = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const QUOTED_STRING = /^"(?:[^"\\]|\\.)*"$/;
const MAIL_HOST = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/** Splits a mailbox into local part and host (RFC 5321 §4.1.2). Returns null if it is not a valid mailbox. */
export function splitMailbox(text: string): Mailbox | null {
  const at = text.lastIndexOf('@');
  if (at === -1 || text.length > 320) return null;
  const [local, host] = [text.slice(0, at), text.slice(at + 1)];
  const isLocalPart = DOT_STRING.test(local) || QUOTED_STRING.test(local);
  return isLocalPart && MAIL_HOST.test(host) ? { local, host: host.toLowerCase() } : null;
}

/**
 * Returns whether a mailbox lies within a base: a mailbox, one host, or `.domain` for its subdomains. Returns
 * null if either is invalid.
 */
function isMailboxWithin(
  mailbox: Mailbox | null,
  base: Extract<Comparable, { form: 'email' }>,
): boolean | null {
  if (mailbox === null) return null;
  if (!base.text.includes('@')) return isExactHostWithin(mailbox.host, base);
  const wanted = base.mailbox;
  return wanted === null ? null : mailbox.local === wanted.local && mailbox.host === wanted.host;
}

/** Returns the host name of a lower-case URI, or null if it has none or an IP address. */
function uriHost(text: string): string | null {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:@]+)(?::\d*)?(?:[/?#]|$)/.exec(text);
  const host = authority?.[1] ?? '';
  // A numeric last label means an IPv4 address.
  return !isDnsName(host) || host.startsWith('*') || /(?:^|\.)\d+$/.test(host) ? null : host;
}

/**
 * Returns whether a URI or email host lies within a base. Unlike for dNSName, a base without a leading dot
 * is one host, not a subtree.
 */
function isExactHostWithin(host: string, base: HostBase): boolean {
  return base.text.startsWith('.') ? isHostWithin(host, base) : host === base.text;
}
