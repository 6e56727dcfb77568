import type { Certificate } from './certificate.ts';
import { asObject, jsonObject, parseInstant } from './json-fields.ts';

/** Renewal window that a CA suggests for a certificate (RFC 9773 §4.2). Times in ms UTC. */
export interface RenewalWindow {
  readonly start: number;
  readonly end: number;
  /** http(s) URL of the CA's explanation; null if it is missing or invalid. */
  readonly explanationUrl: string | null;
}

/**
 * Returns the certificate's identifier in a CA's renewalInfo resource (RFC 9773 §4.1), or null if the certificate has
 * no authority key identifier. Uses the serial number as encoded, including leading zero octets.
 */
export function renewalInfoId({ authorityKeyIdentifier, serialNumber }: Certificate): string | null {
  const key = authorityKeyIdentifier?.keyIdentifier ?? null;
  if (key === null || key === '') return null;
  return `${base64Url(key)}.${base64Url(serialNumber)}`;
}

function base64Url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

/** Parses a RenewalInfo object (JSON). Returns null if it is invalid or the window does not end after it starts. */
export function parseRenewalInfo(body: Uint8Array): RenewalWindow | null {
  const content = jsonObject(body);
  const window = asObject(content?.suggestedWindow);
  const start = parseInstant(window?.start);
  const end = parseInstant(window?.end);
  if (start === null || end === null || end <= start) return null;
  return { start, end, explanationUrl: parseWebUrl(content?.explanationURL) };
}

function parseWebUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 2048) return null;
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
