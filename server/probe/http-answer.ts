const MAX_HEADER_BYTES = 16 * 1024;
const BEGINNING = 'HTTP/';

export interface AnswerReader {
  /** Takes bytes in pieces of any size. `done`: the header section has ended, what follows is the body. */
  push(chunk: Buffer): 'more' | 'done' | 'not_http' | 'too_large';
  /** Of the final answer, as soon as its status line is complete; null before. */
  status(): number | null;
}

/**
 * Reads the header section of an answer over HTTP/1 (RFC 9112 §2.1) and keeps nothing of it but the status. Interim
 * answers (1xx) are passed over; everything up to the body has to fit into 16 kB.
 */
export function createAnswerReader(): AnswerReader {
  let line = '';
  let bytes = 0;
  let status: number | null = null;
  let interim = false;

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
    push(chunk) {
      const lines = (line + chunk.toString('latin1')).split('\n');
      line = lines.pop() ?? '';
      for (const complete of lines) {
        bytes += complete.length + 1;
        if (bytes > MAX_HEADER_BYTES) return 'too_large';
        const taken = take(complete.replace(/\r$/, ''));
        if (taken === 'not_http') return taken;
        if (taken) return 'done';
      }
      if (bytes + line.length > MAX_HEADER_BYTES) return 'too_large';
      const start = line.slice(0, BEGINNING.length);
      return status === null && !interim && !BEGINNING.startsWith(start) ? 'not_http' : 'more';
    },
  };
}
