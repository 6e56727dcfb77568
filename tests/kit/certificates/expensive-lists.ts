import { createHash } from 'node:crypto';
import { MAX_LIST_BYTES } from '../../../server/pki/ct/log-list.ts';
import { mintKey } from './mint.ts';

/** Returns the lists of logs that need the most CPU time of all with the permitted size, by name. */
export function expensiveLists(): Record<string, Buffer> {
  const key = mintKey('RSA-2048').publicKey.export({ type: 'spki', format: 'der' });
  const otherKeys = Array.from({ length: 2_000 }, (_, index) => {
    const other = Buffer.from(key);
    other.writeUInt32BE(index, 100);
    return other;
  });
  const logs = otherKeys.map((one) => ({
    log_id: createHash('sha256').update(one).digest('base64'),
    key: one.toString('base64'),
    state: { usable: {} },
  }));
  const previous = JSON.stringify({ name: 'A', end_time: '2026-01-01T00:00:00Z' });
  const [first] = logs;
  return {
    'nested lists': Buffer.from('['.repeat(MAX_LIST_BYTES / 2) + ']'.repeat(MAX_LIST_BYTES / 2)),
    'empty operators': filled('{"operators":[', '{}', ']}'),
    'entries that are no logs': filled('{"operators":[{"logs":[', '1', ']}]}'),
    '2,000 keys': Buffer.from(JSON.stringify({ operators: [{ logs }] })),
    'previous operators of one log': filled(
      `{"operators":[{"logs":[{"log_id":"${first?.log_id}","previous_operators":[`,
      previous,
      ']}]}]}',
    ),
  };
}

/** Returns JSON with as many repetitions of an item as fit into the permitted size. */
function filled(start: string, item: string, end: string): Buffer {
  const count = Math.floor((MAX_LIST_BYTES - start.length - end.length) / (item.length + 1));
  return Buffer.from(start + `${item},`.repeat(count - 1) + item + end);
}
