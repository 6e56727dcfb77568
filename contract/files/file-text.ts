/** First bytes of every SQLite database. */
export const SQLITE_HEADER = 'SQLite format 3\0';

/** The text of a file and how it was encoded. */
export interface DecodedFile {
  text: string;
  encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252';
}

/** Number of bytes that are examined to recognise UTF-16 without a byte order mark. */
const SAMPLE_BYTES = 65_536;

/**
 * Decodes the text of a file, without its byte order mark: UTF-8, UTF-16 with or without that mark, and otherwise Windows-1252, in
 * which Excel for Windows writes CSV. Returns null if the file is not text.
 */
export function fileText(bytes: Uint8Array): DecodedFile | null {
  const utf16 = utf16Order(bytes);
  if (utf16 !== null) return { text: new TextDecoder(utf16).decode(bytes), encoding: 'UTF-16' };
  if (bytes.includes(0)) return null;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' };
  }
}

function utf16Order(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (bytes.length % 2 !== 0) return null;
  // `zeros` counts zero bytes at even and at odd positions. In UTF-16, every ASCII character (hosts, separators, PEM) has a
  // zero byte; text in other encodings has none.
  const zeros = [0, 0];
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  for (const [index, byte] of sample.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isMostlyAscii = Math.max(even, odd) * 4 > sample.length;
  if (!isMostlyAscii || Math.min(even, odd) * 20 > Math.max(even, odd)) return null;
  return odd > even ? 'utf-16le' : 'utf-16be';
}
