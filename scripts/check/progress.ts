import type { WriteStream } from 'node:tty';
import { printable } from './printable.ts';

export interface Progress {
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
    done(host) {
      waiting.delete(host);
      if (stream.isTTY) draw();
      else stream.write(printable(`${count()} checked: ${host}\n`));
    },
  };
}
