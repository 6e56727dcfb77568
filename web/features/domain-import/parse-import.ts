import { type DecodedFile, fileText, SQLITE_HEADER } from '../../../contract/files/file-text.ts';
import { csvLines } from './csv-lines.ts';
import { kumaLines, kumaMonitors } from './kuma-monitors.ts';
import {
  addressFrom,
  hostLine,
  type ImportFormat,
  isJsonObject,
  looksLikeHost,
  type ParsedImport,
  type ParsedLine,
  shownValue,
  skippedLine,
  splitTags,
  targetOf,
  textOf,
} from './parsed-import.ts';

const MAX_IMPORT_BYTES = 10 * 1024 * 1024;
/** Maximum number of hosts of one import. */
export const MAX_LINES = 10_000;

const TOO_LARGE = 'This file is larger than 10 MB. Split it and import the parts one by one.';

/**
 * Finds the hosts in pasted or uploaded text: lines and lists, CSV, a JSON array, or an Uptime Kuma backup. Does not validate
 * them: the server does. Never throws.
 */
export function parseImport(pasted: string): ParsedImport {
  if (pasted.length > MAX_IMPORT_BYTES) return { ok: false, message: TOO_LARGE };
  const text = pasted.replace(/^\uFEFF/, '');
  const json = readJson(text);
  if (json !== null) return json;
  const table = csvLines(text, MAX_LINES + 1);
  if (table) return limited('csv', table.lines, table.titleLines);
  const lines = plainLines(text);
  return limited(lines.length === 0 ? 'empty' : 'lines', lines);
}

/** Returns the file's text and its encoding, or a message that says why the file cannot be used. */
export async function readImportFile(file: File): Promise<DecodedFile | { message: string }> {
  const start = new Uint8Array(await file.slice(0, SQLITE_HEADER.length).arrayBuffer());
  if (String.fromCharCode(...start) === SQLITE_HEADER)
    return {
      message:
        'This is a database. To import the kuma.db of Uptime Kuma, run “npx . import kuma.db” in the folder of this program. It ' +
        'shows the same preview.',
    };
  if (file.size > MAX_IMPORT_BYTES) return { message: TOO_LARGE };
  return (
    fileText(new Uint8Array(await file.arrayBuffer())) ?? {
      message: 'This is not a text file. Choose CSV, JSON or plain text.',
    }
  );
}

const TOO_MANY = 'This list has more than 10,000 hosts. Split it and import the parts one by one.';

function limited(format: ImportFormat, lines: ParsedLine[], titleLines = 0): ParsedImport {
  return lines.length > MAX_LINES
    ? { ok: false, message: TOO_MANY }
    : { ok: true, format, lines, titleLines };
}

/** Returns the lines that have a host, up to the limit. */
function plainLines(text: string): ParsedLine[] {
  const lines: ParsedLine[] = [];
  let number = 0;
  for (const line of text.split(/\r\n|\n|\r/)) {
    number += 1;
    for (const each of plainLine(line, number)) lines.push(each);
    if (lines.length > MAX_LINES) break;
  }
  return lines;
}

/**
 * Parses one line of a list: hosts separated by commas, semicolons or blanks. A bullet or number may stand before them, and a
 * comment after `#` or in parentheses.
 */
function plainLine(line: string, number: number): ParsedLine[] {
  const text = line
    .replace(/(?:^|\s)#.*$/u, '')
    .replace(/\s\([^()]*\)\s*$/u, '')
    .replace(/^\s*(?:[-*+•·–—]|\d{1,5}[.)])\s+/u, '')
    .trim();
  if (text === '') return [];
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0) return [skippedLine(number, text, 'No host in this line')];
  // If not all words look like hosts, the line stays whole, so that the server's error quotes all of it.
  if (words.length === 1 || words.every(looksLikeHost))
    return words.map((word) => hostLine(number, unquoted(word)));
  return [hostLine(number, text)];
}

const unquoted = (word: string): string => word.replace(/^(["'<])(.+)(["'>])$/, '$2');

/** Returns what the JSON contains; null if the text does not look like JSON. */
function readJson(text: string): ParsedImport | null {
  const trimmed = text.trim();
  // IPv6 addresses also start with a bracket.
  if (!/^(?:\{|\[\s*(?:["{[\]]|$))/.test(trimmed)) return null;
  let json: unknown;
  try {
    json = JSON.parse(trimmed);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return { ok: false, message: `This looks like JSON but has an error: ${why}` };
  }
  const monitors = kumaMonitors(json);
  const list = monitors ?? (Array.isArray(json) ? (json as unknown[]) : null);
  if (list && list.length > MAX_LINES) return { ok: false, message: TOO_MANY };
  if (monitors)
    return limited(
      'uptime-kuma',
      monitors.flatMap((monitor, index) => kumaLines(monitor, index + 1)),
    );
  if (list)
    return limited(
      'json',
      list.map((item, index) => jsonLine(item, index + 1)),
    );
  return { ok: false, message: 'This JSON is neither a list of hosts nor an Uptime Kuma backup.' };
}

const HOST_KEYS = ['host', 'hostname', 'domain', 'url'];

/** Parses a host, or an object whose properties have the names of CSV columns. */
function jsonLine(item: unknown, line: number): ParsedLine {
  if (typeof item === 'string')
    return item.trim() === '' ? skippedLine(line, '', 'Empty') : hostLine(line, item);
  if (!isJsonObject(item)) return skippedLine(line, shownValue(item), 'Not a host');
  const host = HOST_KEYS.map((key) => textOf(item[key])).find((text) => text !== '');
  if (host === undefined) return skippedLine(line, shownValue(item), 'No host');
  const port = Number(item['port'] ?? 0);
  const { tags } = item;
  const written = Number.isInteger(port) && port > 0 ? String(port) : '';
  return hostLine(line, addressFrom(host, { port: written, protocol: textOf(item['protocol']) }), {
    tags: Array.isArray(tags) ? tags.map(textOf).filter((tag) => tag !== '') : splitTags(textOf(tags)),
    notes: textOf(item['notes']) || textOf(item['description']) || textOf(item['name']),
    target: targetOf((field) => item[field] ?? (isJsonObject(item['target']) ? item['target'][field] : null)),
  });
}
