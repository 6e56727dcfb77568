const MAX_HEADER_BYTES = 16 * 1024;
const PROTOCOL_PREFIX = 'HTTP/';

export interface ResponseReader {
  /** Reads a chunk of any size. Returns `done` once the header section has ended and the body begins. */
  push(chunk: Buffer): 'more' | 'done' | 'not_http' | 'too_large';
  /** Returns the status of the final response, or null until its status line is complete. */
  status(): number | null;
  /** Returns how many body bytes have been pushed so far. */
  bodyBytes(): number;
}

/**
 * Creates a reader for an HTTP/1 response (RFC 9112 §2.1) that keeps only the status and the number of body bytes. Skips interim
 * responses (1xx except 101), which count towards the limit of 16,384 bytes for all headers, empty line included.
 */
export function createResponseReader(): ResponseReader {
  let partialLine = '';
  let headerBytes = 0;
  let status: number | null = null;
  let interim = false;
  let isDone = false;
  let bodyBytes = 0;

  /** Reads one line. Returns true if it ends the header section of the final response, `not_http` for a bad status line. */
  const readLine = (line: string): boolean | 'not_http' => {
    if (status === null && !interim) {
      const code = /^HTTP\/\d(?:\.\d)? ([1-9]\d\d)(?: |$)/.exec(line)?.[1];
      if (code === undefined) return 'not_http';
      interim = code.startsWith('1') && code !== '101';
      if (!interim) status = Number(code);
      return false;
    }
    if (line !== '') return false;
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
      const text = partialLine + chunk.toString('latin1');
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        headerBytes += end + 1 - start;
        if (headerBytes > MAX_HEADER_BYTES) return 'too_large';
        const result = readLine(text.slice(start, end).replace(/\r$/, ''));
        start = end + 1;
        if (result === 'not_http') return result;
        if (result) {
          isDone = true;
          bodyBytes = text.length - start;
          return 'done';
        }
      }
      partialLine = text.slice(start);
      if (headerBytes + partialLine.length > MAX_HEADER_BYTES) return 'too_large';
      const prefix = partialLine.slice(0, PROTOCOL_PREFIX.length);
      return status === null && !interim && !PROTOCOL_PREFIX.startsWith(prefix) ? 'not_http' : 'more';
    },
  };
}
