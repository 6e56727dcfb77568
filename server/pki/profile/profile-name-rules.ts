import { isALabel } from '../names/a-label.ts';
import type { Certificate } from '../certificate.ts';
import { splitMailbox } from '../names/name-constraints.ts';
import { EXTENSION } from '../der/object-identifiers.ts';
import type { ProfileRule } from './profile-field-rules.ts';

/** Rules on the subject and the SubjectAltName. */
export const NAME_RULES: readonly ProfileRule[] = [
  {
    id: 'subject-attributes-within-bounds',
    section: 'A.1',
    broken: ({ subject }) =>
      subject.relativeNames.flat().some(({ type, text }) => {
        const bound = UPPER_BOUNDS.get(type);
        return bound !== undefined && text !== null && (text === '' || Array.from(text).length > bound);
      }),
  },
  {
    id: 'alternative-name-critical-without-subject',
    section: '4.2.1.6',
    broken: ({ subject, extensions, isCertificateAuthority }) =>
      subject.isEmpty &&
      !isCertificateAuthority &&
      extensions.get(EXTENSION.subjectAltName)?.critical !== true,
  },
  {
    id: 'alternative-name-not-critical-with-subject',
    section: 'BR 7.1.2.7.12',
    profile: 'web-pki',
    roles: ['leaf'],
    broken: ({ subject, extensions }) =>
      !subject.isEmpty && extensions.get(EXTENSION.subjectAltName)?.critical === true,
  },
  {
    id: 'alternative-dns-name-in-preferred-syntax',
    section: '4.2.1.6',
    roles: ['leaf', 'intermediate'],
    broken: ({ subjectAltNames }) => !subjectAltNames.dnsNames.every(isPreferredSyntax),
  },
  {
    id: 'alternative-dns-name-labels',
    section: 'BR 7.1.2.7.12',
    profile: 'web-pki',
    roles: ['leaf'],
    // Labels with `--` in positions 3 and 4 are reserved (RFC 5890 §2.3.1). Only A-labels among them are allowed.
    broken: ({ subjectAltNames }) =>
      subjectAltNames.dnsNames
        .flatMap((name) => name.split('.'))
        .some((label) => label.slice(2, 4) === '--' && !isALabel(label)),
  },
  {
    id: 'alternative-mailbox-syntax',
    section: '4.2.1.6',
    roles: ['leaf', 'intermediate'],
    broken: ({ subjectAltNames }) =>
      subjectAltNames.emailAddresses.some((address) => splitMailbox(address) === null),
  },
  {
    id: 'server-has-alternative-names-of-hosts-only',
    section: 'BR 7.1.2.7.12',
    profile: 'web-pki',
    roles: ['leaf'],
    broken: ({ subjectAltNames: { all } }, _, purpose) =>
      purpose === 'serverAuth' &&
      (all.length === 0 || all.some(({ kind }) => kind !== 'dns' && kind !== 'ip')),
  },
  {
    id: 'common-name-is-an-alternative-name',
    section: 'BR 7.1.4.3',
    profile: 'web-pki',
    roles: ['leaf'],
    broken: (certificate, _, purpose) => purpose === 'serverAuth' && !isCommonNameRepeated(certificate),
  },
  {
    id: 'one-attribute-per-relative-name',
    section: 'BR 7.1.4.1',
    profile: 'web-pki',
    roles: ['leaf'],
    broken: ({ subject }) => subject.relativeNames.some((attributes) => attributes.length > 1),
  },
];

/** Maximum lengths of subject attributes in characters, by attribute type (RFC 5280 Appendix A.1). */
const UPPER_BOUNDS: ReadonlyMap<string, number> = new Map([
  ['2.5.4.3', 64], // CN
  ['2.5.4.5', 64], // serialNumber
  ['2.5.4.6', 2], // C
  ['2.5.4.7', 128], // L
  ['2.5.4.8', 128], // ST
  ['2.5.4.10', 64], // O
  ['2.5.4.11', 64], // OU
]);

/** Returns whether the name follows RFC 1034 §3.5 and RFC 1123 §2.1; its left-most label may be a wildcard. */
function isPreferredSyntax(name: string): boolean {
  const host = name.startsWith('*.') ? name.slice(2) : name;
  return host.length <= 253 && /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i.test(host);
}

/**
 * Returns whether the subject has no common name, or a single one that equals a dNSName or the
 * canonical text of an iPAddress.
 */
function isCommonNameRepeated({ subject, subjectAltNames }: Certificate): boolean {
  const commonNames = subject.relativeNames.flat().filter(({ type }) => type === '2.5.4.3');
  const [first] = commonNames;
  if (first === undefined) return true;
  if (commonNames.length > 1 || first.text === null) return false;
  return subjectAltNames.dnsNames.includes(first.text) || subjectAltNames.ipAddresses.includes(first.text);
}
