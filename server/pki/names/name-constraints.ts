import type { Certificate } from '../certificate.ts';
import type { GeneralName, UnsupportedForm } from './general-name.ts';
import type { NameConstraints } from './name-constraints-extension.ts';
import { EMAIL_ADDRESS } from '../der/object-identifiers.ts';
import type { WorkBudget } from '../work-budget.ts';

/**
 * Whether every name of `certificate` lies inside `constraints` of a CA above it (RFC 5280 §4.2.1.10, §6.1.3 b and c).
 * False for a name whose form is constrained but cannot be compared, and where `work` does not pay for the comparisons: names ×
 * constraints is quadratic in what a stranger sends.
 */
export function isWithinConstraints(
  certificate: Certificate,
  constraints: NameConstraints,
  work: WorkBudget,
): boolean {
  const { permitted, excluded } = subtreesOf(constraints);
  for (const name of constrainedNames(certificate)) {
    const inside = permitted.get(name.form);
    const outside = excluded.get(name.form);
    if (!work.spend((inside?.work ?? 0) + (outside?.work ?? 0))) return false;
    if (inside !== undefined && !inside.bases.some((base) => isPermittedBy(name, base))) return false;
    if (outside?.bases.some((base) => isExcludedBy(name, base)) === true) return false;
  }
  return true;
}

/** A name, or the base of a subtree, in the form in which it is compared: made once, however often that happens. */
type Comparable =
  /** `host`: in lower case, null for what is no host name. `suffix`: what the names below a base end with. */
  | { form: 'dns'; host: string | null; text: string; suffix: string }
  | { form: 'email'; mailbox: Mailbox | null; text: string; suffix: string }
  | { form: 'uri'; host: string | null; text: string; suffix: string }
  | { form: 'ip'; octets: Uint8Array }
  | { form: 'directory'; keys: readonly string[] }
  | { form: UnsupportedForm };
type Form = Comparable['form'];

/** The bases of one form, and what comparing one name with all of them costs. */
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

/** The subject counts as a directory name, and its e-mail attributes as mailboxes where no SAN speaks for them. */
function constrainedNames(certificate: Certificate): Comparable[] {
  const known = namesOf.get(certificate);
  if (known !== undefined) return known;
  const { subject, subjectAltNames } = certificate;
  const names = subjectAltNames.all.map(comparable);
  if (!subject.isEmpty) names.push({ form: 'directory', keys: subject.relativeKeys });
  if (subjectAltNames.emailAddresses.length === 0) {
    for (const { type, text } of subject.relativeNames.flat()) {
      if (type === EMAIL_ADDRESS && text !== null) names.push(comparable({ kind: 'email', value: text }));
    }
  }
  namesOf.set(certificate, names);
  return names;
}

function subtreesOf(constraints: NameConstraints): Constraints {
  const known = constraintsOf.get(constraints);
  if (known !== undefined) return known;
  const made = {
    permitted: groupByForm(constraints.permitted),
    excluded: groupByForm(constraints.excluded),
  };
  constraintsOf.set(constraints, made);
  return made;
}

function groupByForm(names: readonly GeneralName[]): Map<Form, Subtrees> {
  const groups = new Map<Form, Subtrees>();
  for (const base of names.map(comparable)) {
    const group = groups.get(base.form) ?? { bases: [], work: 0 };
    groups.set(base.form, group);
    group.bases.push(base);
    group.work += comparisonWork(base);
  }
  return groups;
}

/** One comparison that differs at once, and how many characters of equal strings are compared for one unit. */
const COMPARISON_WORK = 2;
const COMPARED_CHARACTERS = 256;

function comparisonWork(base: Comparable): number {
  if (base.form === 'directory')
    return base.keys.reduce(
      (sum, key) => sum + 1 + Math.floor(key.length / COMPARED_CHARACTERS),
      COMPARISON_WORK,
    );
  return COMPARISON_WORK + ('text' in base ? Math.floor(base.text.length / COMPARED_CHARACTERS) : 0);
}

function comparable(name: GeneralName): Comparable {
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
  if (name.form === 'dns' && base.form === 'dns' && wildcardReaches(name.text, base.text)) return true;
  return isCovered(name, base) ?? true;
}

/** Whether a name lies in the subtree of a base of the same form; null for what cannot be compared. */
function isCovered(name: Comparable, base: Comparable): boolean | null {
  if (name.form === 'dns' && base.form === 'dns')
    return name.host === null ? null : isHostWithin(name.host, base);
  if (name.form === 'ip' && base.form === 'ip') return isAddressWithin(name.octets, base.octets);
  if (name.form === 'email' && base.form === 'email') return isMailboxWithin(name.mailbox, base);
  // §4.2.1.10 has a certificate with a URI without a host name rejected.
  if (name.form === 'uri' && base.form === 'uri')
    return name.host === null ? null : isExactHostWithin(name.host, base);
  if (name.form === 'directory' && base.form === 'directory')
    return base.keys.every((key, index) => name.keys[index] === key);
  return null;
}

type HostBase = { text: string; suffix: string };

/** A whole-label suffix, so that `badexample.com` is not inside `example.com`. A leading dot leaves out the base itself. */
function isHostWithin(host: string, { text, suffix }: HostBase): boolean {
  return text === '' || host === text || host.endsWith(suffix);
}

function isDnsName(name: string): boolean {
  return name.length <= 255 && /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(name);
}

/** `*.example.com` can be used as `foo.example.com`, so excluding that, or anything beside it, excludes the wildcard. */
function wildcardReaches(name: string, base: string): boolean {
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
  /** In lower case. */
  host: string;
}

const DOT_STRING = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const QUOTED_STRING = /^"(?:[^"\\]|\\.)*"$/;
const MAIL_HOST = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/** Splits a mailbox into its local part and host (RFC 5321 §4.1.2). Returns null for what is none. */
export function splitMailbox(text: string): Mailbox | null {
  const at = text.lastIndexOf('@');
  if (at === -1 || text.length > 320) return null;
  const [local, host] = [text.slice(0, at), text.slice(at + 1)];
  const isLocalPart = DOT_STRING.test(local) || QUOTED_STRING.test(local);
  return isLocalPart && MAIL_HOST.test(host) ? { local, host: host.toLowerCase() } : null;
}

/** A base is a mailbox, a host (that one only) or `.domain` (its subdomains). Null where either cannot be read. */
function isMailboxWithin(
  mailbox: Mailbox | null,
  base: Extract<Comparable, { form: 'email' }>,
): boolean | null {
  if (mailbox === null) return null;
  if (!base.text.includes('@')) return isExactHostWithin(mailbox.host, base);
  const wanted = base.mailbox;
  return wanted === null ? null : mailbox.local === wanted.local && mailbox.host === wanted.host;
}

/** The host name of a URI in lower case; null where there is none, or an address. */
function uriHost(text: string): string | null {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:@]+)(?::\d*)?(?:[/?#]|$)/.exec(text);
  const host = authority?.[1] ?? '';
  // The last label of a name is never a number.
  return !isDnsName(host) || host.startsWith('*') || /(?:^|\.)\d+$/.test(host) ? null : host;
}

/** Unlike dNSName: a base without a leading dot is one host, not a subtree. */
function isExactHostWithin(host: string, base: HostBase): boolean {
  return base.text.startsWith('.') ? isHostWithin(host, base) : host === base.text;
}
