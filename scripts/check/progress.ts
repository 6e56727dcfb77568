import type { WriteStream } from 'node:tty';
import { factsOf, type Protocol } from '../../contract/protocols.ts';
import { printable } from './printable.ts';

export interface Progress {
  /** Says that a server is slow before TLS, and how long we wait for it. */
  slow(host: string, protocol: Protocol): void;
  done(host: string): void;
  /** Removes the progress line before other output. */
  clear(): void;
}

const MAX_NAMES = 3;

/** Shows progress: one updating line on a terminal, else a line for each finished host. */
export function showProgress(hosts: readonly string[], stream: NodeJS.WriteStream | WriteStream): Progress {
  const waiting = new Set(hosts);
  const count = (): string => `${hosts.length - waiting.size} of ${hosts.length}`;
  const clear = (): void => {
    if (stream.isTTY) stream.write('\r\u001b[K');
  };
  const draw = (): void => {
    if (!stream.isTTY || waiting.size === 0) return;
    const names = [...waiting].slice(0, MAX_NAMES).join(', ');
    const more = waiting.size > MAX_NAMES ? ` and ${waiting.size - MAX_NAMES} more` : '';
    const line = printable(`${count()} checked, waiting for ${names}${more} …`);
    stream.write(`\r\u001b[K${line.slice(0, (stream.columns || 80) - 1)}`);
  };
  draw();
  return {
    clear,
    slow(host, protocol) {
      const { greetingMs = 0 } = factsOf(protocol).startTls?.limits ?? {};
      clear();
      stream.write(
        printable(`${host} answers slowly: waiting up to ${greetingMs / 1_000} seconds for its greeting\n`),
      );
      draw();
    },
    done(host) {
      waiting.delete(host);
      if (stream.isTTY) draw();
      else stream.write(printable(`${count()} checked: ${host}\n`));
    },
  };
}
