import { displayName } from '../../core/index.ts';

interface Described {
  host: string;
  port: number;
  notes: string;
  tags: readonly string[];
}

/** Returns the text that searches match, in lower case: the name as stored and as shown, the tags and the notes. */
export function searchText({ host, port, notes, tags }: Described): string {
  const name = `${host}:${port}`;
  const shown = displayName({ host, port });
  return [name, ...(name.startsWith(shown) ? [] : [shown]), ...tags, notes].join('\n').toLowerCase();
}
