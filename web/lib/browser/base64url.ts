/** Decodes base64url (RFC 4648 §5) with or without padding. Throws on other characters. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

/** Parses the JSON in one part of a signed token. */
export function jsonOf(part: string): unknown {
  return JSON.parse(new TextDecoder().decode(fromBase64Url(part)));
}
