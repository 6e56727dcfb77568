import { PROTOCOLS } from '../../../../contract/words.ts';

/** One line of what was pasted: a host to add, or why there is none in it. `line` counts from 1. */
export interface HostLine {
  line: number;
  host: string;
  tags: string[];
  notes: string;
  /** What will be different from where it comes from; null where nothing is. */
  remark: string | null;
}
export interface SkippedLine {
  line: number;
  /** What stood there, cut short. */
  text: string;
  reason: string;
}
export type ParsedLine = HostLine | SkippedLine;

/** `empty`: nothing in it but blank lines and comments. */
export type ImportFormat = 'empty' | 'lines' | 'csv' | 'json' | 'uptime-kuma';

/** In the order of the text; or why none of it can be taken. */
export type ParsedImport =
  { ok: true; format: ImportFormat; lines: ParsedLine[] } | { ok: false; message: string };

export const FORMAT_NAMES: Record<ImportFormat, string> = {
  empty: 'Nothing yet',
  lines: 'Lines of hosts',
  csv: 'CSV',
  json: 'JSON',
  'uptime-kuma': 'Uptime Kuma backup',
};

export function isSkipped(line: ParsedLine): line is SkippedLine {
  return 'reason' in line;
}

const SHOWN_LENGTH = 120;

export function skipped(line: number, text: string, reason: string): SkippedLine {
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return { line, text: shown.toWellFormed(), reason };
}

/** As the contract takes it. */
const HOST_MAX_LENGTH = 2048;

export function hostLine(line: number, host: string, rest: Partial<HostLine> = {}): ParsedLine {
  const trimmed = host.trim();
  if (trimmed.length > HOST_MAX_LENGTH) return skipped(line, trimmed, 'Longer than any address');
  return { line, host: trimmed.toWellFormed(), tags: [], notes: '', remark: null, ...rest };
}

/** Whether somebody meant an address by it: for telling lists of hosts from other text, not for judging them. */
export function looksLikeHost(text: string): boolean {
  return (
    /^(?:[a-z][a-z0-9+.-]*:)?\/\/./i.test(text) ||
    /^[^\s@]*[\p{L}\p{N}\]][.:][\p{L}\p{N}]/u.test(text) ||
    /^(?:localhost|\[[0-9a-f:.]+\])(?::\d+)?$/i.test(text)
  );
}

/** 'web, prod;two words' → ['web', 'prod', 'two words'] */
export function splitTags(text: string): string[] {
  return text
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** The host with that port, unless it has one already. */
export function withPort(host: string, port: string): string {
  const [, scheme = '', name = '', rest = ''] = /^([a-z]+:\/\/)?([^/]*)(.*)$/is.exec(host) ?? [];
  const isBareIpv6 = name.split(':').length > 2 && !name.startsWith('[');
  if (!isBareIpv6 && /:\d+$/.test(name)) return host;
  return `${scheme}${isBareIpv6 ? `[${name}]` : name}:${port}${rest}`;
}

/** With what is spoken there as its scheme, where that is known and the host does not say it itself. */
export function withProtocol(host: string, protocol: string): string {
  const name = PROTOCOLS.find((known) => known === protocol.toLowerCase());
  return name === undefined || host.includes('://') ? host : `${name}://${host}`;
}

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Trimmed; empty for what is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** A few words for something that is no text; what is nested is not written out. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return '[…]';
  if (isFields(value)) return `{ ${Object.keys(value).slice(0, 4).join(', ')} }`;
  return String(value);
}
