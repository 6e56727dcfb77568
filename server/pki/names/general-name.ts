import { countValue, equalBytes, ia5Text, objectIdentifierText, utf8Text } from '../der/der-values.ts';
import { contextTag, type DerElement, type DerReader, onlyElement, TAG } from '../der/der.ts';
import { type DistinguishedName, parseDistinguishedName } from './distinguished-name.ts';
import { PkiError } from '../pki-error.ts';

/** GeneralName (RFC 5280 §4.2.1.6). `unsupported` forms have no value, because no code here compares them. */
export type GeneralName =
  | { readonly kind: 'dns' | 'email' | 'uri'; readonly value: string }
  /** `octets`: 4 or 16 for an address as a name; 8 or 32 for address and mask in name constraints. */
  | { readonly kind: 'ip'; readonly octets: Uint8Array }
  | { readonly kind: 'directory'; readonly name: DistinguishedName }
  /**
   * `isMalformed`: whether the name is known not to be DER of its form. `smtpMailbox`: the value of an otherName that is an
   * internationalised e-mail address (RFC 9598 §3).
   */
  | {
      readonly kind: 'unsupported';
      readonly form: UnsupportedForm;
      readonly isMalformed: boolean;
      readonly smtpMailbox?: string;
    };

export type UnsupportedForm = 'otherName' | 'x400Address' | 'ediPartyName' | 'registeredID';

const FORM = {
  otherName: contextTag(0, 'constructed'),
  email: contextTag(1, 'primitive'),
  dns: contextTag(2, 'primitive'),
  x400Address: contextTag(3, 'constructed'),
  directory: contextTag(4, 'constructed'),
  ediPartyName: contextTag(5, 'constructed'),
  uri: contextTag(6, 'primitive'),
  ip: contextTag(7, 'primitive'),
  registeredId: contextTag(8, 'primitive'),
} as const;

/**
 * Reads the next GeneralName. `ipLengths`: allowed sizes of an iPAddress in octets. Throws PkiError on malformed
 * input.
 */
export function readGeneralName(reader: DerReader, ipLengths: readonly number[]): GeneralName {
  const element = reader.read();
  switch (element.tag) {
    case FORM.dns:
      return { kind: 'dns', value: ia5Text(element) };
    case FORM.email:
      return { kind: 'email', value: ia5Text(element) };
    case FORM.uri:
      return { kind: 'uri', value: ia5Text(element) };
    case FORM.ip:
      return { kind: 'ip', octets: addressOctets(element.content, ipLengths) };
    case FORM.directory:
      // Name is a CHOICE, so its tag is explicit although the module uses implicit tags (X.680 §31.2.7).
      return {
        kind: 'directory',
        name: parseDistinguishedName(onlyElement(element.content, TAG.sequence).encoded),
      };
    case FORM.otherName:
      return { kind: 'unsupported', form: 'otherName', ...readOtherName(element) };
    case FORM.x400Address:
      return { kind: 'unsupported', form: 'x400Address', isMalformed: false };
    case FORM.ediPartyName:
      return { kind: 'unsupported', form: 'ediPartyName', isMalformed: false };
    case FORM.registeredId:
      objectIdentifierText(element.content);
      return { kind: 'unsupported', form: 'registeredID', isMalformed: false };
    default:
      throw new PkiError('der_tag', 'unknown form of GeneralName');
  }
}

/** Reads the type and the value of an OtherName (RFC 5280 §4.2.1.6). */
function readOtherName(element: DerElement): { isMalformed: boolean; smtpMailbox?: string } {
  try {
    const fields = element.open();
    const type = fields.read(TAG.objectIdentifier);
    const value = fields.read(contextTag(0, 'constructed'));
    if (!fields.done) return { isMalformed: true };
    const smtpMailbox = equalBytes(type.content, SMTP_UTF8_MAILBOX) ? mailboxText(value) : null;
    return { isMalformed: false, ...(smtpMailbox !== null && { smtpMailbox }) };
  } catch (error) {
    if (error instanceof PkiError) return { isMalformed: true };
    throw error;
  }
}

/** Content of the identifier id-on-SmtpUTF8Mailbox, 1.3.6.1.5.5.7.8.9. */
const SMTP_UTF8_MAILBOX = Buffer.from('2b06010505070809', 'hex');

/** Returns null if the value is not a UTF8String, which RFC 9598 §3 demands. */
function mailboxText(value: DerElement): string | null {
  try {
    return utf8Text(onlyElement(value.content, TAG.utf8String));
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

function addressOctets(octets: Uint8Array, lengths: readonly number[]): Uint8Array {
  if (!lengths.includes(octets.length)) throw new PkiError('value', 'iPAddress of invalid length');
  return octets;
}

/** Allowed lengths of an iPAddress as a name, in octets. */
export const ADDRESS_LENGTHS = [4, 16];
/** Allowed lengths of an iPAddress as a constraint, in octets: address and mask (RFC 5280 §4.2.1.10). */
const SUBTREE_LENGTHS = [8, 32];

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
    if (!/^1*0*$/.test(bitsOf(mask))) {
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

export function bitsOf(octets: Uint8Array): string {
  return [...octets].map((octet) => octet.toString(2).padStart(8, '0')).join('');
}
