import { contextTag, type DerElement, DerReader, onlyElement, TAG } from './der/der.ts';
import { objectIdentifier } from './der/der-values.ts';
import { EXTENSION } from './der/object-identifiers.ts';
import { formatDistinguishedName, parseDistinguishedName } from './names/distinguished-name.ts';
import { ADDRESS_LENGTHS, readGeneralName } from './names/general-name.ts';
import { PkiError } from './pki-error.ts';

/** What can still be read of a certificate that `parseCertificate` refuses. Only for display: nothing of it is checked. */
export interface LenientCertificate {
  /** RFC 4514 text; null if it cannot be read. The same holds for `issuer`. */
  readonly subject: string | null;
  readonly issuer: string | null;
  /** ms UTC; null if it cannot be read. The same holds for `notAfter`. */
  readonly notBefore: number | null;
  readonly notAfter: number | null;
  /** At most 100 dNSNames; empty if the list is malformed. */
  readonly dnsNames: readonly string[];
}

const MAX_NAMES = 100;

/**
 * Reads each field of a certificate (RFC 5280 §4.1) by itself, so that a malformed one hides no other. Accepts any version,
 * repeated extensions and times that are not in DER form. Returns null if not even the order of the fields is that of a certificate.
 */
export function readLeniently(der: Uint8Array): LenientCertificate | null {
  return attempt(() => {
    const body = new DerReader(der).enter(TAG.sequence).enter(TAG.sequence);
    body.optional(contextTag(0, 'constructed'));
    body.read();
    body.read(TAG.sequence);
    const issuer = body.read(TAG.sequence);
    const validity = body.enter(TAG.sequence);
    const subject = body.read(TAG.sequence);
    return {
      subject: nameText(subject),
      issuer: nameText(issuer),
      notBefore: attempt(() => lenientTime(validity.read())),
      notAfter: attempt(() => lenientTime(validity.read())),
      dnsNames: attempt(() => readNames(body)) ?? [],
    };
  });
}

function attempt<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

const nameText = (name: DerElement): string | null =>
  attempt(() => formatDistinguishedName(parseDistinguishedName(name.encoded)));

/** Year, month, day, hour and minute; perhaps seconds, fractions and a time zone (X.680 §46, §47). */
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:[.,]\d+)?(Z|[+-]\d{4})?$/;

/**
 * Returns the instant in ms UTC of a time, also without seconds, with a fraction (ignored) or with an offset such as +0130. A time
 * without a zone counts as UTC. Null if it has another form.
 */
function lenientTime(element: DerElement): number | null {
  const digits = element.latin1;
  const century = digits >= '5' ? '19' : '20';
  const parts = TIME.exec(element.tag === TAG.generalizedTime ? digits : century + digits);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second = '00', zone = 'Z'] = parts;
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(instant) ? null : instant;
}

/** Returns the dNSNames of the first SubjectAltName among the fields after the subject. */
function readNames(body: DerReader): string[] {
  while (!body.done && body.nextTag !== contextTag(3, 'constructed')) body.read();
  const extensions = body.read().open().enter(TAG.sequence);
  while (!extensions.done) {
    const fields = extensions.enter(TAG.sequence);
    if (objectIdentifier(fields.read()) !== EXTENSION.subjectAltName) continue;
    fields.optional(TAG.boolean);
    return dnsNamesOf(fields.read(TAG.octetString).content);
  }
  return [];
}

function dnsNamesOf(value: Uint8Array): string[] {
  const list = onlyElement(value, TAG.sequence).open();
  const names: string[] = [];
  while (!list.done && names.length < MAX_NAMES) {
    const entry = list.read();
    const name = attempt(() => readGeneralName(new DerReader(entry.encoded), ADDRESS_LENGTHS));
    if (name?.kind === 'dns') names.push(name.value);
  }
  return names;
}
