import { type Arbitrary, sample } from 'fast-check';
import { parseLogList } from '../../server/pki/ct/log-list.ts';
import { parseTimestampList } from '../../server/pki/ct/timestamp-list.ts';
import { PkiError } from '../../server/pki/pki-error.ts';
import { timestampEntry, timestampExtension } from '../../tests/kit/certificates/certificate-extensions.ts';
import { damaged } from '../../tests/kit/certificates/damaged-bytes.ts';
import { expensiveLists } from '../../tests/kit/certificates/expensive-lists.ts';
import { logListJson, mintLog } from '../../tests/kit/certificates/mint-log.ts';
import type { Figure } from '../scale/figures.ts';

const MUTANTS = 10_000;
const MAX_MS = 100;

/** Measures the CPU time of parsing damaged and expensive lists of timestamps and of Certificate Transparency logs. */
export function measureLogLists(): Promise<Figure[]> {
  const logs = Array.from({ length: 50 }, (_, index) => mintLog(`Operator ${index % 8}`));
  const entry = timestampEntry({ logId: Buffer.alloc(32), at: 0, signature: Buffer.alloc(71) });
  const timestamps = timestampExtension(Array.from({ length: 5 }, () => entry)).value;
  const readLogs = (bytes: Uint8Array): unknown => parseLogList(bytes, Date.now());
  const slowest = (
    what: string,
    lists: Iterable<Uint8Array>,
    parse: (bytes: Uint8Array) => unknown,
  ): Figure => ({
    what,
    value: Math.max(...Array.from(lists, (bytes) => cpuMs(() => parse(bytes)))),
    unit: 'ms',
    max: MAX_MS,
  });
  return Promise.resolve([
    slowest('slowest of 10,000 damaged lists of timestamps', mutants(damaged(timestamps)), readTimestamps),
    slowest(
      'slowest of 10,000 damaged lists of 50 logs',
      mutants(damaged(Buffer.from(logListJson(logs, 0)))),
      readLogs,
    ),
    ...Object.entries(expensiveLists()).map(([name, bytes]) =>
      slowest(`list of logs: ${name}`, [bytes], readLogs),
    ),
  ]);
}

const mutants = (of: Arbitrary<Uint8Array>): Uint8Array[] => sample(of, { numRuns: MUTANTS, seed: 6_962 });

function readTimestamps(bytes: Uint8Array): void {
  try {
    parseTimestampList(bytes);
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
  }
}

/** Returns the CPU time of this thread, which other programs do not change. */
function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
