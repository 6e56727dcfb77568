const MAX_HEADER_BYTES = 16 * 1024;
const BEGINNING = 'HTTP/';

export interface AnswerReader {
  /** Takes bytes in pieces of any size. `done`: the header section has ended, what follows is the body. */
  push(chunk: Buffer): 'more' | 'done' | 'not_http' | 'too_large';
  /** Of the final answer, as soon as its status line is complete; null before. */
  status(): number | null;
  /** How many bytes of the pieces so far came after the header section. */
  bodyBytes(): number;
}

/**
 * Reads the header section of an answer over HTTP/1 (RFC 9112 §2.1) and keeps nothing of it but the status. Interim answers
 * (1xx) are skipped; they and the final header section, the empty line included, may have 16,384 bytes together.
 */
export function createAnswerReader(): AnswerReader {
  let line = '';
  let bytes = 0;
  let status: number | null = null;
  let interim = false;
  let isDone = false;
  let bodyBytes = 0;

  /** True at the line that ends the header section of the final answer. */
  const take = (complete: string): boolean | 'not_http' => {
    if (status === null && !interim) {
      const code = /^HTTP\/\d(?:\.\d)? ([1-9]\d\d)(?: |$)/.exec(complete)?.[1];
      if (code === undefined) return 'not_http';
      interim = code.startsWith('1') && code !== '101';
      if (!interim) status = Number(code);
      return false;
    }
    if (complete !== '') return false;
    interim = false;
    return status !== null;
  };

  return {
    status: () => status,
    bodyBytes: () => bodyBytes,
    push(chunk) {
      if (isDone) {
        bodyBytes += chunk.length;
        return 'done';
      }
      const text = line + chunk.toString('latin1');
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        bytes += end + 1 - start;
        if (bytes > MAX_HEADER_BYTES) return 'too_large';
        const taken = take(text.slice(start, end).replace(/\r$/, ''));
        start = end + 1;
        if (taken === 'not_http') return taken;
        if (taken) {
          isDone = true;
          bodyBytes = text.length - start;
          return 'done';
        }
      }
      line = text.slice(start);
      if (bytes + line.length > MAX_HEADER_BYTES) return 'too_large';
      const beginning = line.slice(0, BEGINNING.length);
      return status === null && !interim && !BEGINNING.startsWith(beginning) ? 'not_http' : 'more';
    },
  };
}
