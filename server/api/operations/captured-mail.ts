import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A captured mail, decoded for display. */
export interface CapturedMail {
  /** The file's name, which identifies the mail in URLs. */
  id: string;
  subject: string;
  to: string;
  date: string;
  html: string;
  text: string;
}

const NEWEST_SHOWN = 200;

/** Returns the ids of the newest 200 captured mails, newest first; none if the folder does not exist. */
export async function listCapturedMail(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const dated = await Promise.all(
    names
      .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
      .map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  return dated
    .toSorted((a, b) => b.at - a.at)
    .slice(0, NEWEST_SHOWN)
    .map(({ name }) => name);
}

/** Reads a captured mail. `id` becomes part of a path, so it must come from `listCapturedMail`. */
export async function readCapturedMail(folder: string, id: string): Promise<CapturedMail> {
  const root = parsePart(await readFile(join(folder, id), 'latin1'));
  const parts = [...leavesOf(root)];
  const find = (type: string) => parts.find((part) => part.type === type);
  const html = parts.reduce(
    (page, { id: contentId, type, body }) => {
      // Put the attached images into the page: the frame that shows the mail has no network access.
      return contentId === ''
        ? page
        : page.replaceAll(`cid:${contentId}`, `data:${type};base64,${body.toString('base64')}`);
    },
    find('text/html')?.body.toString('utf8') ?? '',
  );
  return {
    id,
    subject: decodeWords(root.headers.get('subject') ?? ''),
    to: decodeWords(root.headers.get('to') ?? ''),
    date: root.headers.get('date') ?? '',
    html,
    text: find('text/plain')?.body.toString('utf8') ?? '',
  };
}

interface Part {
  headers: Map<string, string>;
  type: string;
  id: string;
  body: Buffer;
  parts: Part[];
}

/**
 * Parses a MIME part that our own mail composer wrote (RFC 2045 §6, RFC 2046 §5.1). Does not support mail from other
 * programs.
 */
function parsePart(source: string): Part {
  const [head = '', ...rest] = source.split('\r\n\r\n');
  const content = rest.join('\r\n\r\n');
  const headers = new Map<string, string>();
  for (const line of head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const contentType = headers.get('content-type') ?? 'text/plain';
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  const pieces = boundary === undefined ? [] : content.split(`--${boundary}`).slice(1, -1);
  return {
    headers,
    type: contentType.split(';')[0]?.trim().toLowerCase() ?? '',
    id: /^<(.+)>$/.exec(headers.get('content-id') ?? '')?.[1] ?? '',
    body: decodeBody(content, headers.get('content-transfer-encoding') ?? '7bit'),
    parts: pieces.map((piece) => parsePart(piece.replace(/^\r\n/, '').replace(/\r\n$/, ''))),
  };
}

function* leavesOf(part: Part): Generator<Part> {
  if (part.parts.length === 0) yield part;
  for (const inner of part.parts) yield* leavesOf(inner);
}

function decodeBody(content: string, encoding: string): Buffer {
  if (encoding.toLowerCase() === 'base64') return Buffer.from(content, 'base64');
  if (encoding.toLowerCase() !== 'quoted-printable') return Buffer.from(content, 'latin1');
  return decodeQuoted(content.replaceAll(/=\r\n/g, ''));
}

function decodeQuoted(text: string): Buffer {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** Decodes the UTF-8 encoded words of a header (RFC 2047 §4), and removes white space between two of them (§6.2). */
function decodeWords(header: string): string {
  return header
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      (kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64')
        : decodeQuoted(word.replaceAll('_', ' '))
      ).toString('utf8'),
    );
}
