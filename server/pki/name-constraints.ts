import type { Certificate } from './certificate.ts';
import { relativeNameKey } from './distinguished-name.ts';
import type { GeneralName } from './general-name.ts';
import type { NameConstraints } from './name-constraints-extension.ts';
import { EMAIL_ADDRESS } from './object-identifiers.ts';

/**
 * Bounds the work of a validation: names × constraints is quadratic in what a stranger sends. Real chains stay under
 * a thousand comparisons; Go stops at 250,000.
 */
export interface ComparisonBudget {
  remaining: number;
}

export const MAX_COMPARISONS = 250_000;

/**
 * Whether every name of `certificate` lies inside `constraints` of a CA above it (RFC 5280 §4.2.1.10, §6.1.3 b and c).
 * False also when the budget runs out, or for a name whose form is constrained but cannot be compared.
 */
export function isWithinConstraints(
  certificate: Certificate,
  constraints: NameConstraints,
  budget: ComparisonBudget,
): boolean {
  const permitted = groupByForm(constraints.permitted);
  const excluded = groupByForm(constraints.excluded);
  for (const name of constrainedNames(certificate)) {
    const form = formOf(name);
    const inside = permitted.get(form);
    const outside = excluded.get(form) ?? [];
    budget.remaining -= (inside?.length ?? 0) + outside.length;
    if (budget.remaining < 0) return false;
    if (inside !== undefined && !inside.some((base) => isPermittedBy(name, base))) return false;
    if (outside.some((base) => isExcludedBy(name, base))) return false;
  }
  return true;
}

/** The subject counts as a directory name, and its e-mail attributes as mailboxes where no SAN speaks for them. */
function constrainedNames(certificate: Certificate): GeneralName[] {
  const { subject, subjectAltNames } = certificate;
  const names: GeneralName[] = [...subjectAltNames.all];
  if (!subject.isEmpty) names.push({ kind: 'directory', name: subject });
  if (subjectAltNames.emailAddresses.length === 0) {
    for (const { type, text } of subject.relativeNames.flat()) {
      if (type === EMAIL_ADDRESS && text !== null) names.push({ kind: 'email', value: text });
    }
  }
  return names;
}

function formOf(name: GeneralName): string {
  return name.kind === 'unsupported' ? name.form : name.kind;
}

function groupByForm(bases: readonly GeneralName[]): Map<string, GeneralName[]> {
  return Map.groupBy(bases, formOf);
}

function isPermittedBy(name: GeneralName, base: GeneralName): boolean {
  if (name.kind === 'dns' && base.kind === 'dns') return isDnsWithin(name.value, base.value);
  return isCovered(name, base, false);
}

function isExcludedBy(name: GeneralName, base: GeneralName): boolean {
  if (name.kind === 'dns' && base.kind === 'dns') {
    return (
      isDnsWithin(name.value, base.value) || wildcardReaches(name.value, base.value) || !isDnsName(name.value)
    );
  }
  return isCovered(name, base, true);
}

/** Name and base of the same form other than dNSName; `otherwise` answers for what cannot be compared. */
function isCovered(name: GeneralName, base: GeneralName, otherwise: boolean): boolean {
  if (name.kind === 'ip' && base.kind === 'ip') return isAddressWithin(name.octets, base.octets);
  if (name.kind === 'email' && base.kind === 'email')
    return isMailboxWithin(name.value, base.value) ?? otherwise;
  if (name.kind === 'uri' && base.kind === 'uri') return isUriWithin(name.value, base.value) ?? otherwise;
  if (name.kind === 'directory' && base.kind === 'directory') {
    const [inner, outer] = [name.name.relativeNames, base.name.relativeNames];
    return outer.every((part, index) => {
      const own = inner[index];
      return own !== undefined && relativeNameKey(own) === relativeNameKey(part);
    });
  }
  return otherwise;
}

/** A whole-label suffix, so that `badexample.com` is not inside `example.com`. A leading dot leaves out the base itself. */
function isHostWithin(host: string, base: string): boolean {
  const [inner, outer] = [host.toLowerCase(), base.toLowerCase()];
  if (outer === '' || inner === outer) return true;
  return inner.endsWith(outer.startsWith('.') ? outer : `.${outer}`);
}

function isDnsWithin(name: string, base: string): boolean {
  return isDnsName(name) && isHostWithin(name, base);
}

function isDnsName(name: string): boolean {
  return name.length <= 255 && /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(name);
}

/** `*.example.com` can be used as `foo.example.com`, so excluding that, or anything beside it, excludes the wildcard. */
function wildcardReaches(name: string, base: string): boolean {
  if (!name.startsWith('*.')) return false;
  const parent = name.slice(2).toLowerCase();
  const excluded = base.toLowerCase();
  const dot = excluded.indexOf('.');
  return dot > 0 && excluded.slice(dot + 1) === parent;
}

function isAddressWithin(octets: Uint8Array, base: Uint8Array): boolean {
  if (base.length !== octets.length * 2) return false;
  return octets.every((octet, index) => {
    const mask = base[octets.length + index] ?? 0;
    return (octet & mask) === ((base[index] ?? 0) & mask);
  });
}

const DOT_STRING = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const QUOTED_STRING = /^"(?:[^"\\]|\\.)*"$/;
const MAIL_HOST = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/** Splits a mailbox into its local part and host (RFC 5321 §4.1.2). Returns null for what is none. */
export function splitMailbox(text: string): { local: string; host: string } | null {
  const at = text.lastIndexOf('@');
  if (at === -1 || text.length > 320) return null;
  const [local, host] = [text.slice(0, at), text.slice(at + 1)];
  const isLocalPart = DOT_STRING.test(local) || QUOTED_STRING.test(local);
  return isLocalPart && MAIL_HOST.test(host) ? { local, host } : null;
}

/** A base is a mailbox, a host (that one only) or `.domain` (its subdomains). Null where either cannot be read. */
function isMailboxWithin(name: string, base: string): boolean | null {
  const mailbox = splitMailbox(name);
  if (mailbox === null) return null;
  if (!base.includes('@')) return isExactHostWithin(mailbox.host, base);
  const wanted = splitMailbox(base);
  if (wanted === null) return null;
  return mailbox.local === wanted.local && mailbox.host.toLowerCase() === wanted.host.toLowerCase();
}

/** Null for a URI without a host name: §4.2.1.10 has such a certificate rejected. */
function isUriWithin(name: string, base: string): boolean | null {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:@]+)(?::\d*)?(?:[/?#]|$)/i.exec(name);
  const host = authority?.[1] ?? '';
  // An address is no host name. The last label of a name is never a number.
  if (!isDnsName(host) || host.startsWith('*') || /(?:^|\.)\d+$/.test(host)) return null;
  return isExactHostWithin(host, base);
}

/** Unlike dNSName: a base without a leading dot is one host, not a subtree. */
function isExactHostWithin(host: string, base: string): boolean {
  return base.startsWith('.') ? isHostWithin(host, base) : host.toLowerCase() === base.toLowerCase();
}
