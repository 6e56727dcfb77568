import { csvLines } from './csv-lines.ts';
import { kumaLine, kumaMonitors } from './kuma-backup.ts';
import {
  hostLine,
  isFields,
  looksLikeHost,
  shownValue,
  skipped,
  splitTags,
  textOf,
  withPort,
  withProtocol,
} from './parsed-import.ts';
import type { ImportFormat, ParsedImport, ParsedLine } from './parsed-import.ts';

const MOST_IMPORT_BYTES = 10 * 1024 * 1024;
const MOST_LINES = 10_000;

const TOO_LARGE = 'This is larger than 10 MB. Split it, and add one part after the other.';

/**
 * Finds the hosts in what somebody pasted or chose: lines and lists of hosts and addresses, CSV, a JSON array, or a backup of
 * Uptime Kuma. Whether they are valid is the server's to say. Never throws.
 */
export function parseImport(pasted: string): ParsedImport {
  if (pasted.length > MOST_IMPORT_BYTES) return { ok: false, message: TOO_LARGE };
  const text = pasted.replace(/^\uFEFF/, '');
  const json = readJson(text);
  if (json !== null) return json;
  const table = csvLines(text, MOST_LINES + 1);
  if (table) return limited('csv', table);
  const lines = plainLines(text);
  return limited(lines.length === 0 ? 'empty' : 'lines', lines);
}

/** The file's text, or what is wrong with it before anybody reads it. */
export async function readImportFile(file: File): Promise<{ text: string } | { message: string }> {
  if (file.size > MOST_IMPORT_BYTES) return { message: TOO_LARGE };
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.includes(0) && !isUtf16(bytes))
    return { message: 'This is not a text file. CSV, JSON and plain text can be read.' };
  return { text: new TextDecoder(isUtf16(bytes) ? utf16Of(bytes) : 'utf-8').decode(bytes) };
}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
const utf16Of = ([first]: Uint8Array): string => (first === 0xff ? 'utf-16le' : 'utf-16be');

const TOO_MANY = 'These are more than 10,000 hosts. Split them, and add one part after the other.';

function limited(format: ImportFormat, lines: ParsedLine[]): ParsedImport {
  return lines.length > MOST_LINES ? { ok: false, message: TOO_MANY } : { ok: true, format, lines };
}

/** As far as the limit can tell. */
function plainLines(text: string): ParsedLine[] {
  const lines: ParsedLine[] = [];
  let number = 0;
  for (const line of text.split(/\r\n|\n|\r/)) {
    number += 1;
    for (const each of plainLine(line, number)) lines.push(each);
    if (lines.length > MOST_LINES) break;
  }
  return lines;
}

/** One line of a list: hosts between commas, semicolons or blanks, after a bullet or a number, with a comment after `#` or in parentheses. */
function plainLine(line: string, number: number): ParsedLine[] {
  const text = line
    .replace(/(?:^|\s)#.*$/u, '')
    .replace(/\s\([^()]*\)\s*$/u, '')
    .replace(/^\s*(?:[-*+•·–—]|\d{1,5}[.)])\s+/u, '')
    .trim();
  if (text === '') return [];
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0) return [skipped(number, text, 'No host in this line')];
  // What is no list is left whole, so that the server's answer is about what was written.
  if (words.length === 1 || words.every(looksLikeHost))
    return words.map((word) => hostLine(number, unquoted(word)));
  return [hostLine(number, text)];
}

const unquoted = (word: string): string => word.replace(/^(["'<])(.+)(["'>])$/, '$2');

/** Null where the text is not meant as JSON. */
function readJson(text: string): ParsedImport | null {
  const trimmed = text.trim();
  // An IPv6 address begins with a bracket too.
  if (!/^(?:\{|\[\s*(?:["{[\]]|$))/.test(trimmed)) return null;
  let json: unknown;
  try {
    json = JSON.parse(trimmed);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return { ok: false, message: `This looks like JSON, but it cannot be read: ${why}` };
  }
  const monitors = kumaMonitors(json);
  const list = monitors ?? (Array.isArray(json) ? (json as unknown[]) : null);
  if (list && list.length > MOST_LINES) return { ok: false, message: TOO_MANY };
  if (monitors) return { ok: true, format: 'uptime-kuma', lines: numbered(monitors, kumaLine) };
  if (list) return { ok: true, format: 'json', lines: numbered(list, jsonLine) };
  return { ok: false, message: 'This JSON has no list of hosts and is no backup of Uptime Kuma.' };
}

function numbered(
  items: readonly unknown[],
  read: (item: unknown, line: number) => ParsedLine,
): ParsedLine[] {
  return items.map((item, index) => read(item, index + 1));
}

const HOST_KEYS = ['host', 'hostname', 'domain', 'url'];

/** A host, or an object that names one as the columns of a CSV would. */
function jsonLine(item: unknown, line: number): ParsedLine {
  if (typeof item === 'string')
    return item.trim() === '' ? skipped(line, '', 'Nothing in it') : hostLine(line, item);
  if (!isFields(item)) return skipped(line, shownValue(item), 'Not a host');
  const host = HOST_KEYS.map((key) => textOf(item[key])).find((text) => text !== '');
  if (host === undefined) return skipped(line, shownValue(item), 'No host in it');
  const port = Number(item['port'] ?? 0);
  const { tags } = item;
  const place = Number.isInteger(port) && port > 0 ? withPort(host, String(port)) : host;
  return hostLine(line, withProtocol(place, textOf(item['protocol'])), {
    tags: Array.isArray(tags) ? tags.map(textOf).filter((tag) => tag !== '') : splitTags(textOf(tags)),
    notes: textOf(item['notes']) || textOf(item['description']) || textOf(item['name']),
  });
}
