import { createHash } from 'node:crypto';
import { MAX_LIST_BYTES } from '../../../server/pki/ct/log-list.ts';
import { mintKey } from './mint.ts';

/** Returns the lists of logs that need the most CPU time of all with the permitted size, by name. */
export function expensiveLists(): Record<string, Buffer> {
  const key = mintKey('RSA-2048').publicKey.export({ type: 'spki', format: 'der' });
  const logAt = (index: number) => {
    const other = Buffer.from(key);
    other.writeUInt32BE(index, 100);
    const id = createHash('sha256').update(other).digest('base64');
    return { log_id: id, key: other.toString('base64'), state: { usable: {} } };
  };
  const previous = JSON.stringify({ name: 'A', end_time: '2026-01-01T00:00:00Z' });
  return {
    'nested lists': Buffer.from('['.repeat(MAX_LIST_BYTES / 2) + ']'.repeat(MAX_LIST_BYTES / 2)),
    'empty operators': filled('{"operators":[', '{}', ']}'),
    // V8 stores each name, and a hidden class for each of these objects.
    'objects with a name of their own': filled('{"operators":[', (index) => `{"${name(index)}":0}`, ']}'),
    'entries that are no logs': filled('{"operators":[{"logs":[', '1', ']}]}'),
    'logs with keys': filled('{"operators":[{"logs":[', (index) => JSON.stringify(logAt(index)), ']}]}'),
    'previous operators of one log': filled(
      `{"operators":[{"logs":[{"log_id":"${logAt(0).log_id}","previous_operators":[`,
      previous,
      ']}]}]}',
    ),
  };
}

/** Returns a name of five characters, a different one for each index. */
const name = (index: number): string => `a${index.toString(36).padStart(4, '0')}`;

/** Returns JSON with as many items as fit into the permitted size. All items must have the same length. */
function filled(start: string, item: string | ((index: number) => string), end: string): Buffer {
  const itemAt = (index: number) => (typeof item === 'string' ? item : item(index));
  const count = Math.floor((MAX_LIST_BYTES - start.length - end.length + 1) / (itemAt(0).length + 1));
  return Buffer.from(start + Array.from({ length: count }, (_, index) => itemAt(index)).join(',') + end);
}
