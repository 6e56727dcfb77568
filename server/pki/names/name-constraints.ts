import type { Certificate } from '../certificate.ts';
import { bitsOf, type GeneralName, type NameConstraints, type UnsupportedForm } from './general-name.ts';
import { EMAIL_ADDRESS } from '../der/object-identifiers.ts';
import type { WorkBudget } from '../work-budget.ts';

/**
 * Returns whether all names of a certificate satisfy the constraints of a CA above it (RFC 5280 §4.2.1.10, §6.1.3 b, c). False
 * if a constrained name cannot be compared or `work` runs out. The cost grows with the names, not with names × constraints.
 */
export function satisfiesNameConstraints(
  certificate: Certificate,
  constraints: NameConstraints,
  work: WorkBudget,
): boolean {
  const { permitted, excluded } = subtreesOf(constraints);
  const names = constrainedNames(certificate);
  for (const form of new Set([...permitted.keys(), ...excluded.keys()])) {
    const permittedSubtrees = permitted.get(form);
    const excludedSubtrees = excluded.get(form);
    for (const name of names.get(form) ?? []) {
      if (!work.spend(lookupWork(name, permittedSubtrees) + lookupWork(name, excludedSubtrees))) return false;
      if (permittedSubtrees !== undefined && !isCovered(name, permittedSubtrees)) return false;
      if (excludedSubtrees !== undefined && isExcluded(name, excludedSubtrees)) return false;
    }
  }
  return true;
}

/** A name, prepared for comparison. Computed once per certificate. `host` and `mailbox` are null if they are invalid. */
type ConstrainedName =
  | { form: 'dns' | 'uri'; host: string | null }
  | { form: 'email'; host: string | null; mailbox: string | null }
  /** `bits`: the address as zeros and ones. */
  | { form: 'ip'; bits: string }
  | { form: 'directory'; keys: readonly string[]; length: number }
  | { form: UnsupportedForm };
type Form = ConstrainedName['form'];

/** The bases of the permitted, or of the excluded, subtrees of one form of names. */
interface Subtrees {
  /** Each base as `coveringKeys` writes it. */
  keys: Set<string>;
  /** Their different sizes: labels of a host, bits of an address, relative names of a directory name. */
  sizes: Set<number>;
  /** The bases without their first label: with `a.example` here, the name `*.a.example` may match a base. */
  wildcardParents: Set<string>;
  /** Whether a base cannot be compared with any name. */
  hasUnusable: boolean;
}

interface Constraints {
  permitted: Map<Form, Subtrees>;
  excluded: Map<Form, Subtrees>;
}

const namesOf = new WeakMap<Certificate, ReadonlyMap<Form, ConstrainedName[]>>();
const constraintsOf = new WeakMap<NameConstraints, Constraints>();

/**
 * Returns the names that constraints apply to, by form: the SANs, the subject, and the subject's email attributes if no SAN is
 * an email address (RFC 5280 §4.2.1.10).
 */
function constrainedNames(certificate: Certificate): ReadonlyMap<Form, ConstrainedName[]> {
  const known = namesOf.get(certificate);
  if (known !== undefined) return known;
  const { subject, subjectAltNames } = certificate;
  const names = subjectAltNames.all.map(prepareName);
  if (!subject.isEmpty) names.push(directoryName(subject.relativeKeys));
  if (subjectAltNames.emailAddresses.length === 0) {
    for (const { type, text } of subject.relativeNames.flat()) {
      if (type === EMAIL_ADDRESS && text !== null) names.push(prepareName({ kind: 'email', value: text }));
    }
  }
  const byForm = Map.groupBy(names, ({ form }) => form);
  namesOf.set(certificate, byForm);
  return byForm;
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

function groupByForm(bases: readonly GeneralName[]): Map<Form, Subtrees> {
  const groups = new Map<Form, Subtrees>();
  for (const base of bases) {
    const form = base.kind === 'unsupported' ? base.form : base.kind;
    const group = groups.get(form) ?? {
      keys: new Set(),
      sizes: new Set(),
      wildcardParents: new Set(),
      hasUnusable: false,
    };
    groups.set(form, group);
    addBase(group, base);
  }
  return groups;
}

function addBase(group: Subtrees, base: GeneralName): void {
  switch (base.kind) {
    case 'ip': {
      const half = base.octets.length / 2;
      const size = bitsOf(base.octets.subarray(half)).lastIndexOf('1') + 1;
      group.sizes.add(size);
      group.keys.add(addressKey(bitsOf(base.octets.subarray(0, half)), size));
      return;
    }
    case 'directory':
      group.sizes.add(base.name.relativeKeys.length);
      group.keys.add(JSON.stringify(base.name.relativeKeys));
      return;
    case 'unsupported':
      group.hasUnusable = true;
      return;
    case 'email':
      if (base.value.includes('@')) {
        const mailbox = splitMailbox(base.value);
        if (mailbox === null) group.hasUnusable = true;
        else group.keys.add(`${mailbox.local}@${mailbox.host}`);
        return;
      }
  }
  const text = base.value.toLowerCase();
  group.keys.add(text);
  group.sizes.add(text === '' ? 0 : text.replace(/^\./, '').split('.').length);
  const dot = text.indexOf('.');
  if (dot > 0) group.wildcardParents.add(text.slice(dot + 1));
}

/** Work units for looking one key up. */
const LOOKUP_WORK = 2;
/** Number of characters of a key per further work unit. */
const KEY_CHARACTERS = 64;

function lookupWork(name: ConstrainedName, subtrees: Subtrees | undefined): number {
  if (subtrees === undefined) return 0;
  const length = 'host' in name ? (name.host?.length ?? 0) : 'length' in name ? name.length : 0;
  return LOOKUP_WORK + subtrees.sizes.size * (LOOKUP_WORK + Math.floor(length / KEY_CHARACTERS));
}

function prepareName(name: GeneralName): ConstrainedName {
  switch (name.kind) {
    case 'dns': {
      const text = name.value.toLowerCase();
      return { form: 'dns', host: isDnsName(text) ? text : null };
    }
    case 'email': {
      const mailbox = splitMailbox(name.value);
      if (mailbox === null) return { form: 'email', host: null, mailbox: null };
      return { form: 'email', host: mailbox.host, mailbox: `${mailbox.local}@${mailbox.host}` };
    }
    case 'uri':
      return { form: 'uri', host: uriHost(name.value.toLowerCase()) };
    case 'ip':
      return { form: 'ip', bits: bitsOf(name.octets) };
    case 'directory':
      return directoryName(name.name.relativeKeys);
    default:
      return { form: name.form };
  }
}

function directoryName(keys: readonly string[]): ConstrainedName {
  return { form: 'directory', keys, length: keys.reduce((sum, { length }) => sum + length, 0) };
}

/** Returns whether a name lies in one of the subtrees of its form. False if it cannot be compared. */
function isCovered(name: ConstrainedName, { keys, sizes }: Subtrees): boolean {
  for (const key of coveringKeys(name, sizes)) if (keys.has(key)) return true;
  return false;
}

/** Returns whether an excluded subtree covers a name. True if the two cannot be compared. */
function isExcluded(name: ConstrainedName, subtrees: Subtrees): boolean {
  // RFC 5280 §4.2.1.10: reject a URI without a host name if URIs are constrained.
  if (subtrees.hasUnusable || ('host' in name && name.host === null)) return true;
  // Excluding `foo.example.com` also excludes `*.example.com`.
  const isWildcard = name.form === 'dns' && name.host?.startsWith('*.') === true;
  if (isWildcard && subtrees.wildcardParents.has(name.host?.slice(2) ?? '')) return true;
  return isCovered(name, subtrees);
}

/** Yields the key of every base that would cover a name and has one of these sizes. */
function* coveringKeys(name: ConstrainedName, sizes: ReadonlySet<number>): Iterable<string> {
  switch (name.form) {
    case 'ip':
      for (const size of sizes) yield addressKey(name.bits, size);
      return;
    case 'directory':
      for (const size of sizes) yield JSON.stringify(name.keys.slice(0, size));
      return;
    case 'email':
      if (name.mailbox !== null) yield name.mailbox;
      yield* hostKeys(name.host, sizes, 'exact');
      return;
    case 'uri':
      yield* hostKeys(name.host, sizes, 'exact');
      return;
    case 'dns':
      yield* hostKeys(name.host, sizes, 'below');
  }
}

/**
 * Yields every base that would cover a host and has one of these numbers of labels. The base `.a.example` covers the hosts below
 * a.example. The base `a.example` covers that host and, if `kind` is `below` (dNSName), also the hosts below it.
 */
function* hostKeys(
  host: string | null,
  sizes: ReadonlySet<number>,
  kind: 'exact' | 'below',
): Iterable<string> {
  if (host === null) return;
  const starts = [0];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) starts.push(dot + 1);
  for (const size of sizes) {
    const start = size === 0 ? host.length : starts[starts.length - size];
    if (start === undefined) continue;
    if (start === 0 || kind === 'below') yield host.slice(start);
    if (start > 0 && size > 0) yield `.${host.slice(start)}`;
  }
}

/** Returns the key of a subnet. IPv4 and IPv6 differ by the number of bits of the whole address. */
function addressKey(bits: string, size: number): string {
  return `${bits.length}/${bits.slice(0, size)}`;
}

function isDnsName(name: string): boolean {
  return name.length <= 255 && /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(name);
}

export interface Mailbox {
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

/** Returns the host name of a lower-case URI, or null if it has none or an IP address. */
function uriHost(text: string): string | null {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:@]+)(?::\d*)?(?:[/?#]|$)/.exec(text);
  const host = authority?.[1] ?? '';
  // A numeric last label means an IPv4 address.
  return !isDnsName(host) || host.startsWith('*') || /(?:^|\.)\d+$/.test(host) ? null : host;
}
