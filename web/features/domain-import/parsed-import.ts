import type { DecodedFile } from '../../../contract/files/file-text.ts';
import { count, TARGET_MAX_LENGTH } from '../../../contract/words.ts';
import { factsOf, type Protocol, PROTOCOL_NAMES } from '../../../contract/protocols.ts';
import { TARGET_FIELDS, TARGET_LABELS, type TargetField } from '../../../contract/check-words.ts';

/** How a host is checked, if the source says so. */
export type ImportedTarget = { readonly [Field in TargetField]?: string };

/** A line with a host to add. `line` counts from 1. */
export interface HostLine {
  line: number;
  host: string;
  tags: string[];
  notes: string;
  target: ImportedTarget;
  /** Says what the import changes compared with the source; null if nothing. */
  remark: string | null;
}
export interface SkippedLine {
  line: number;
  /** The original text, truncated. */
  text: string;
  reason: string;
}
export type ParsedLine = HostLine | SkippedLine;

/** `empty`: the text has only blank lines and comments. */
export type ImportFormat = 'empty' | 'lines' | 'csv' | 'json' | 'uptime-kuma';

/** The parsed lines in the order of the text, or a message that says why nothing can be imported. */
export type ParsedImport =
  | {
      ok: true;
      format: ImportFormat;
      lines: ParsedLine[];
      /** Number of lines above the header of a table. They are not imported. */
      titleLines: number;
    }
  | { ok: false; message: string };

const FORMAT_NAMES: Record<ImportFormat, string> = {
  empty: 'Nothing yet',
  lines: 'Lines of hosts',
  csv: 'CSV',
  json: 'JSON',
  'uptime-kuma': 'Uptime Kuma',
};

/** Returns what was recognised: 'CSV, read as Windows-1252, without 2 lines of titles: 12 hosts, 1 line without a host'. */
export function recognisedText(
  { format, lines, titleLines }: Extract<ParsedImport, { ok: true }>,
  encoding: DecodedFile['encoding'] = 'UTF-8',
): string {
  const without = lines.filter(isSkipped).length;
  const source = [
    ...(format === 'lines' && encoding === 'UTF-8' ? [] : [FORMAT_NAMES[format]]),
    ...(encoding === 'UTF-8' ? [] : [`read as ${encoding}`]),
    ...(titleLines === 0 ? [] : [`without ${count(titleLines, 'line')} of titles`]),
  ].join(', ');
  const found = count(lines.length - without, 'host');
  const left =
    format === 'uptime-kuma'
      ? `${count(without, 'monitor')} that cannot be imported`
      : `${count(without, 'line')} without a host`;
  const rest = without === 0 ? '' : `, ${left}`;
  const lost = format === 'uptime-kuma' ? '. Check intervals and notifications are not carried over' : '';
  return `${source === '' ? '' : `${source}: `}${found}${rest}${lost}`;
}

export function isSkipped(line: ParsedLine): line is SkippedLine {
  return 'reason' in line;
}

const SHOWN_LENGTH = 120;

export function skippedLine(line: number, text: string, reason: string): SkippedLine {
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return { line, text: shown.toWellFormed(), reason };
}

/** The contract's limit. */
const HOST_MAX_LENGTH = 2048;

/**
 * Returns a line with a host. Returns a skipped line if a field is too long, because the server would then refuse all lines
 * of the call.
 */
export function hostLine(line: number, host: string, rest: Partial<HostLine> = {}): ParsedLine {
  const trimmed = host.trim();
  if (trimmed.length > HOST_MAX_LENGTH) return skippedLine(line, trimmed, 'Too long for a host address');
  const { target = {} } = rest;
  const long = TARGET_FIELDS.find((field) => (target[field] ?? '').length > TARGET_MAX_LENGTH);
  if (long !== undefined)
    return skippedLine(line, trimmed, `${TARGET_LABELS[long]}: longer than ${TARGET_MAX_LENGTH} characters`);
  return { line, host: trimmed.toWellFormed(), tags: [], notes: '', target: {}, remark: null, ...rest };
}

/** Tells whether the text looks like a host. Used to recognise lists; the server validates hosts. */
export function looksLikeHost(text: string): boolean {
  return (
    /^(?:[a-z][a-z0-9+.-]*:)?\/\/./i.test(text) ||
    /^[^\s@]*[\p{L}\p{N}\]][.:][\p{L}\p{N}]/u.test(text) ||
    /^(?:localhost|\[[0-9a-f:.]+\])(?::\d+)?$/i.test(text)
  );
}

/** Splits at commas and semicolons: 'web, prod;two words' has the tags 'web', 'prod' and 'two words'. */
export function splitTags(text: string): string[] {
  return text
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** Returns the fields of a target that are not empty. Numbers are converted to text. */
export function targetOf(read: (field: TargetField) => unknown): ImportedTarget {
  const texts = TARGET_FIELDS.map((field) => {
    const value = read(field);
    return [field, typeof value === 'number' ? String(value) : textOf(value)] as const;
  });
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

/** Returns the host with the port, unless the host already has one. */
export function withPort(host: string, port: string): string {
  const [, scheme = '', name = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?([^/]*)(.*)$/is.exec(host) ?? [];
  const isBareIpv6 = name.split(':').length > 2 && !name.startsWith('[');
  if (!isBareIpv6 && /:\d+$/.test(name)) return host;
  return `${scheme}${isBareIpv6 ? `[${name}]` : name}:${port}${rest}`;
}

/**
 * Returns the address of a host: with the port unless the host has one, and with the protocol's scheme unless the host has
 * one or the protocol is unknown.
 */
export function addressFrom(host: string, { port, protocol }: { port: string; protocol: string }): string {
  const name = PROTOCOL_NAMES.find((known) => known === protocol.toLowerCase());
  const isWhole = name === undefined || host.includes('://');
  // If the address had a port, a check would ignore the servers that DNS names for the domain (SRV).
  const scheme = isWhole ? undefined : schemeByServers(name, Number(port));
  if (scheme !== undefined) return `${scheme}://${host}`;
  const place = port === '' ? host : withPort(host, port);
  return isWhole ? place : `${name}://${place}`;
}

/** Returns a scheme whose default is this protocol and port, if DNS may name the domain's servers (SRV); else undefined. */
function schemeByServers(protocol: Protocol, port: number): string | undefined {
  const isTls = protocol === 'tls';
  for (const facts of isTls ? PROTOCOL_NAMES.map(factsOf) : [factsOf(protocol)]) {
    const { schemes, srv } = isTls ? { schemes: {}, ...facts.direct } : facts;
    const scheme = Object.entries<number>(schemes).find(([, usual]) => usual === port)?.[0];
    if (srv !== undefined && scheme !== undefined) return scheme;
  }
  return undefined;
}

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns trimmed text; empty for other types. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Describes a value that is not text in a few words; leaves out nested values. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return '[…]';
  if (isJsonObject(value)) return `{ ${Object.keys(value).slice(0, 4).join(', ')} }`;
  return String(value);
}
