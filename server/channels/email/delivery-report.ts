/** Content of a delivery status notification about a bounced mail (RFC 3464). */
export interface DeliveryReport {
  /** Addresses that the report itself was sent to. */
  sentTo: string[];
  /** Enhanced status code of the failure, such as 5.1.1. */
  status: string;
  /** Reply of the server that refused the mail, on one line; may be empty. */
  diagnostic: string;
}

const MAX_DIAGNOSTIC_LENGTH = 300;
/** Maximum nesting of MIME parts. No real report is nested this deep. */
const MAX_DEPTH = 4;

/**
 * Parses a report of a permanent failure (RFC 3464). Returns null for all other mail: replies of people, auto-replies,
 * delay reports and unreadable text. Never throws, because the mail is untrusted input.
 */
export function readDeliveryReport(raw: Buffer): DeliveryReport | null {
  const mail = partOf(raw.toString('latin1'));
  const report = mail.headers.get('content-type')?.[0] ?? '';
  if (!/^\s*multipart\/report\b/i.test(report) || !/report-type\s*=\s*"?delivery-status\b/i.test(report))
    return null;
  const status = findPart(mail, /^\s*message\/(?:global-)?delivery-status\b/i, 0);
  if (status === null) return null;
  // The first block is about the whole report. Each further block is about one recipient (RFC 3464 §2.1).
  const blocks = decoded(status)
    .split(/\n[ \t]*\n/)
    .map((block) => headersOf(block));
  const failed = blocks.find(
    (block) =>
      /^\s*failed\b/i.test(block.get('action')?.[0] ?? '') && /^\s*5\./.test(block.get('status')?.[0] ?? ''),
  );
  if (!failed) return null;
  const code = /^\s*(5\.\d{1,3}\.\d{1,3})/.exec(failed.get('status')?.[0] ?? '')?.[1];
  if (code === undefined) return null;
  const diagnostic = (failed.get('diagnostic-code')?.[0] ?? '').replace(/^\s*[\w-]+\s*;/, '');
  return { sentTo: addressesOf(mail), status: code, diagnostic: shortLine(diagnostic) };
}

interface Part {
  /** Unfolded values by lower-case header name. */
  headers: Map<string, string[]>;
  body: string;
}

function partOf(text: string): Part {
  const plain = text.replaceAll('\r\n', '\n');
  const end = plain.indexOf('\n\n');
  return end === -1
    ? { headers: headersOf(plain), body: '' }
    : { headers: headersOf(plain.slice(0, end)), body: plain.slice(end + 2) };
}

function headersOf(block: string): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of block.replaceAll(/\n[ \t]+/g, ' ').split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}

function findPart(part: Part, type: RegExp, depth: number): Part | null {
  const contentType = part.headers.get('content-type')?.[0] ?? 'text/plain';
  if (type.test(contentType)) return part;
  const boundary = /boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined || depth >= MAX_DEPTH) return null;
  for (const piece of `\n${part.body}`.split(`\n--${mark}`).slice(1)) {
    if (piece.startsWith('--')) break;
    const found = findPart(partOf(piece.slice(piece.indexOf('\n') + 1)), type, depth + 1);
    if (found) return found;
  }
  return null;
}

function decoded({ headers, body }: Part): string {
  const encoding = headers.get('content-transfer-encoding')?.[0]?.trim().toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('latin1').replaceAll('\r\n', '\n');
  if (encoding !== 'quoted-printable') return body;
  return body
    .replaceAll(/=[ \t]*\n/g, '')
    .replaceAll(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Headers in which servers name the recipient, the most reliable first. */
const RECIPIENT_HEADERS = ['delivered-to', 'x-original-to', 'envelope-to', 'to'];

function addressesOf({ headers }: Part): string[] {
  const values = RECIPIENT_HEADERS.flatMap((name) => headers.get(name) ?? []);
  return [
    ...new Set(values.flatMap((value) => value.match(/[^\s<>,;:"()]{1,64}@[^\s<>,;:"()]{1,255}/g) ?? [])),
  ];
}

function shortLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_DIAGNOSTIC_LENGTH);
}
