import { createHmac, timingSafeEqual } from 'node:crypto';

/** Address from which the bounce address of each mail is built, and the key that signs them. */
export interface BounceSettings {
  /** Mail address in the form `local@domain`. */
  address: string;
  /** Key that signs bounce addresses and nothing else. */
  key: Buffer;
}

/** Identifiers of a mail that we sent. */
export interface SentMail {
  /** Message-ID of the mail without angle brackets. It starts with the id of the outbox row. */
  messageId: string;
  recipient: string;
}

/** Base32 alphabet in lower case only, because some servers change the case of an address. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const MAC_BYTES = 10;
/** Longest local part in octets (RFC 5321 §4.5.3.1.1). */
const LOCAL_PART_MAX = 64;

/**
 * Returns the envelope sender of one mail (VERP): `local+mark@domain`. The mark is the mail's id and an HMAC over id and
 * recipient, so that nobody else can forge a bounce. Returns null if the address would be too long or the Message-ID has no UUID.
 */
export function bounceAddress({ address, key }: BounceSettings, sent: SentMail): string | null {
  const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=@)/.exec(sent.messageId)?.[0];
  const at = address.lastIndexOf('@');
  if (uuid === undefined) return null;
  const id = base32(Buffer.from(uuid.replaceAll('-', ''), 'hex'));
  const local = `${address.slice(0, at)}+${id}${base32(macOf(key, uuid, sent.recipient))}`;
  return local.length <= LOCAL_PART_MAX ? `${local}${address.slice(at)}` : null;
}

/** Content of a bounce address. Do not trust it before `isGenuine` has returned true. */
export interface BounceMark {
  /** Id of the outbox row. */
  id: string;
  mac: Buffer;
}

const ID_LENGTH = 26;
const MAC_LENGTH = 16;

/** Parses the address that a bounce was sent to. Returns null if it is not one of our bounce addresses. */
export function readBounceAddress(returnAddress: string, given: string): BounceMark | null {
  const at = returnAddress.lastIndexOf('@');
  const [prefix, domain] = [`${returnAddress.slice(0, at)}+`, returnAddress.slice(at)].map((part) =>
    part.toLowerCase(),
  );
  const address = given.toLowerCase();
  if (prefix === undefined || domain === undefined) return null;
  if (!address.startsWith(prefix) || !address.endsWith(domain)) return null;
  const mark = address.slice(prefix.length, -domain.length);
  if (mark.length !== ID_LENGTH + MAC_LENGTH || !/^[a-z2-7]+$/.test(mark)) return null;
  const hex = fromBase32(mark.slice(0, ID_LENGTH)).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { id, mac: fromBase32(mark.slice(ID_LENGTH)) };
}

/** Returns whether the mark was created with this key for a mail to this recipient. */
export function isGenuine(key: Buffer, { id, mac }: BounceMark, recipient: string): boolean {
  const expected = macOf(key, id, recipient);
  return mac.length === expected.length && timingSafeEqual(mac, expected);
}

function macOf(key: Buffer, id: string, recipient: string): Buffer {
  return createHmac('sha256', key).update(`${id} ${recipient.toLowerCase()}`).digest().subarray(0, MAC_BYTES);
}

/** Encodes bytes in base32 (RFC 4648 §6), in lower case and without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => ALPHABET.charAt(Number.parseInt(group.padEnd(5, '0'), 2)))
    .join('');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
