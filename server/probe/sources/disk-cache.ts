import { hash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LruCache } from '../../pki/lru-cache.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

/** Flat metadata stored with the bytes, such as the fetch time. The cache does not check which fields there are. */
export type CacheMeta = Readonly<Record<string, string | number | null>>;

export interface CacheEntry {
  bytes: Buffer;
  meta: CacheMeta;
}

/** Cache for fetched data. Entries may disappear at any time. The methods never reject. */
export interface DiskCache {
  /** Returns the entry, or null if it is missing or corrupt. */
  get(key: string): Promise<CacheEntry | null>;
  put(key: string, bytes: Uint8Array, meta: CacheMeta): Promise<void>;
}

export interface DiskCacheOptions {
  /** Maximum total size of all entries in bytes. The least recently used entries are evicted first. */
  maxBytes?: number;
  /** Called if the folder cannot be read or written. A failed read is a cache miss; a failed write is lost. */
  onTrouble?: (error: unknown) => void;
}

const MAX_DISK_BYTES = 512 * 1024 * 1024;
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** Age at which a temporary file counts as abandoned, because no write takes an hour. */
const STALE_MS = HOUR_MS;
const MAX_HEADER_BYTES = 4_096;
/** Maximum number of writes of this process between two sweeps. */
const WRITES_PER_SWEEP = 500;

/**
 * Creates a cache in files of `folder`, which several processes may share, or in memory if `folder` is null. Creates a
 * missing folder. Incomplete, modified and foreign files count as missing entries.
 */
export function createDiskCache(folder: string | null, options: DiskCacheOptions = {}): DiskCache {
  if (folder === null) return createMemoryCache(options.maxBytes ?? MAX_MEMORY_BYTES);
  const { maxBytes = MAX_DISK_BYTES, onTrouble = () => undefined } = options;
  const pathOf = (key: string): string => join(folder, hash('sha256', key, 'hex'));
  let writtenBytes = Infinity;
  let writes = 0;
  let sweeping: Promise<void> | null = null;

  const write = async (key: string, bytes: Uint8Array, meta: CacheMeta): Promise<void> => {
    const header = JSON.stringify({ key, sha256: hash('sha256', bytes, 'hex'), meta });
    if (header.length > MAX_HEADER_BYTES) throw new Error(`the metadata of ${key} is too large`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporaryPath = `${pathOf(key)}.${randomUUID()}`;
    try {
      await writeFile(temporaryPath, [`${header}\n`, bytes], { mode: 0o600 });
      // Renaming is atomic: readers in any process see the whole file or none.
      await rename(temporaryPath, pathOf(key));
    } catch (error) {
      await rm(temporaryPath, { force: true });
      throw error;
    }
    writtenBytes += bytes.length;
    writes++;
    // Between sweeps, each process may add about a sixteenth of the limit, and at most WRITES_PER_SWEEP files.
    if (writtenBytes > maxBytes / 16 || writes > WRITES_PER_SWEEP) {
      sweeping ??= sweep(folder, maxBytes).finally(() => (sweeping = null));
      writtenBytes = 0;
      writes = 0;
      await sweeping;
    }
  };

  return {
    async get(key) {
      try {
        const entry = readEntry(key, await readFile(pathOf(key)));
        if (entry !== null) await utimes(pathOf(key), new Date(), new Date());
        return entry;
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') onTrouble(error);
        return null;
      }
    },
    async put(key, bytes, meta) {
      try {
        await write(key, bytes, meta);
      } catch (error) {
        onTrouble(error);
      }
    },
  };
}

function readEntry(key: string, file: Buffer): CacheEntry | null {
  const end = file.subarray(0, MAX_HEADER_BYTES + 1).indexOf(0x0a);
  if (end === -1) return null;
  const bytes = file.subarray(end + 1);
  let header: unknown;
  try {
    header = JSON.parse(file.toString('utf8', 0, end));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (!isHeader(header) || header.key !== key || header.sha256 !== hash('sha256', bytes, 'hex')) return null;
  return { bytes, meta: header.meta };
}

function isHeader(value: unknown): value is { key: unknown; sha256: unknown; meta: CacheMeta } {
  if (typeof value !== 'object' || value === null || !('key' in value && 'sha256' in value)) return false;
  const meta: unknown = 'meta' in value ? value.meta : null;
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return false;
  return Object.values(meta).every((one) => one === null || ['string', 'number'].includes(typeof one));
}

/**
 * Deletes abandoned temporary files. If entries exceed `maxBytes`, evicts the least recently used ones down to 90 %.
 */
async function sweep(folder: string, maxBytes: number): Promise<void> {
  const files: { path: string; bytes: number; usedAt: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(absent);
    if (found?.isFile() !== true) continue;
    const isTemporary = name.includes('.');
    if (!isTemporary) files.push({ path, bytes: found.size, usedAt: found.mtimeMs });
    else if (Math.abs(Date.now() - found.mtimeMs) > STALE_MS) await rm(path, { force: true });
  }
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBytes) return;
  for (const { path, bytes } of files.toSorted((left, right) => left.usedAt - right.usedAt)) {
    if (total <= maxBytes * 0.9) return;
    await rm(path, { force: true });
    total -= bytes;
  }
}

/** Maps a missing file to null, because another process may delete files at any time. Rethrows other errors. */
function absent(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function createMemoryCache(maxBytes: number): DiskCache {
  const entries = new LruCache<string, CacheEntry>(maxBytes);
  return {
    get: (key) => Promise.resolve(entries.get(key)),
    put(key, bytes, meta) {
      entries.set(key, { bytes: Buffer.from(bytes), meta }, bytes.length);
      return Promise.resolve();
    },
  };
}
