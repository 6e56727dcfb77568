import { truncatedLine } from '../core/one-line.ts';
import type { AlertContent } from './messages/alert-input.ts';

/** An alert as short lines of plain text, without control, format and line-breaking characters. */
export interface AlertLines {
  subject: string;
  heading: string;
  paragraphs: string[];
  facts: { label: string; value: string }[];
  link: { label: string; url: string };
  tone: AlertTone;
  /** Display name of the domain; our own host for a test message. */
  host: string;
}

export type AlertTone = 'critical' | 'warning' | 'good';

/** Coloured marks for chats that show no colours. */
export const TONE_MARKS: Record<AlertTone, string> = { critical: '🔴', warning: '🟠', good: '🟢' };

const MAX_SENTENCE_LENGTH = 300;
const MAX_PARAGRAPH_LENGTH = 700;
const MAX_PARAGRAPHS = 6;
const MAX_HOST_LENGTH = 255;
const MAX_LABEL_LENGTH = 60;
const MAX_VALUE_LENGTH = 300;
const MAX_FACTS = 10;

/** Returns an alert as lines of limited length. Channels with lower limits cut them further. */
export function alertLines(content: AlertContent): AlertLines {
  const { heading, paragraphs, bullets, button, severity, resolves } = content;
  const listed = bullets === undefined ? [] : [`${bullets.lead} ${bullets.items.join(' ')}`];
  const sentence = typeof heading === 'string' ? heading : `${heading.before}${heading.host}${heading.after}`;
  const url = new URL(button.url);
  return {
    subject: truncatedLine(content.subject, MAX_SENTENCE_LENGTH),
    heading: truncatedLine(sentence, MAX_SENTENCE_LENGTH),
    paragraphs: [...paragraphs, ...listed]
      .slice(0, MAX_PARAGRAPHS)
      .map((text) => truncatedLine(text, MAX_PARAGRAPH_LENGTH)),
    facts: factLines(content.facts).slice(0, MAX_FACTS),
    link: { label: truncatedLine(button.label, MAX_LABEL_LENGTH), url: url.href },
    host: typeof heading === 'string' ? url.host : truncatedLine(heading.host, MAX_HOST_LENGTH),
    tone: resolves || severity === 'info' ? 'good' : severity,
  };
}

/** Appends a fact without a label to the fact above it. */
function factLines(facts: AlertContent['facts']): AlertLines['facts'] {
  const lines: AlertLines['facts'] = [];
  for (const fact of facts) {
    const label = truncatedLine(fact.label, MAX_LABEL_LENGTH);
    const above = lines.at(-1);
    if (label === '' && above !== undefined)
      above.value = truncatedLine(`${above.value} · ${fact.value}`, MAX_VALUE_LENGTH);
    else lines.push({ label, value: truncatedLine(fact.value, MAX_VALUE_LENGTH) });
  }
  return lines;
}

/**
 * Escapes each character and cuts the result to `length` UTF-16 units, including the ellipsis. Never cuts inside an escape
 * sequence.
 */
export function escapedWithin(text: string, length: number, escape: (character: string) => string): string {
  let escaped = '';
  let cut = '';
  for (const character of text) {
    escaped += escape(character);
    if (escaped.length > length) return `${cut}…`;
    if (escaped.length < length) cut = escaped;
  }
  return escaped;
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes plain text for HTML and for attributes in double quotes, cut to `length` UTF-16 units. */
export function htmlWithin(text: string, length: number): string {
  return escapedWithin(text, length, (character) => HTML_ESCAPES[character] ?? character);
}

/**
 * Returns the first pieces whose total size is at most `maxSize`, counting one separator per piece. Drops the first piece that
 * does not fit and all after it.
 */
export function truncateLines(
  pieces: readonly string[],
  maxSize: number,
  sizeOf: (piece: string) => number,
): string[] {
  let left = maxSize;
  return pieces.filter((piece) => {
    left -= sizeOf(piece) + 1;
    return left >= 0;
  });
}

/**
 * Characters that start markup in Markdown or its dialects, such as emphasis, links, mentions or (braces) functions.
 * Includes the slash, because `https://` alone starts a link.
 */
const MARKDOWN_MARKS = /[\\`*_{}[\]<>#+\-~|!@/$&]/;

/** Escapes plain text for Markdown, cut to `length` UTF-16 units. */
export function asMarkdown(text: string, length: number): string {
  return escapedWithin(text, length, (character) =>
    MARKDOWN_MARKS.test(character) ? `\\${character}` : character,
  );
}
