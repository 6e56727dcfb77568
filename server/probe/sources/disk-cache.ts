import { hash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { BoundedMap } from '../../pki/index.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

/** Flat facts beside the bytes, such as when they were fetched. Whoever reads them checks what he needs. */
export type CacheMeta = Readonly<Record<string, string | number | null>>;

export interface CacheEntry {
  bytes: Buffer;
  meta: CacheMeta;
}

/** Remembers what was fetched from others. It may forget anything at any time, and never rejects. */
export interface DiskCache {
  /** null when it is not there, or not whole. */
  get(key: string): Promise<CacheEntry | null>;
  put(key: string, bytes: Uint8Array, meta: CacheMeta): Promise<void>;
}

export interface DiskCacheOptions {
  /** Of all entries; what was not used for longest goes first. */
  maxBytes?: number;
  /** Told when the folder cannot be read or written: the cache then does without it. */
  onTrouble?: (error: unknown) => void;
}

const MAX_DISK_BYTES = 512 * 1024 * 1024;
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** Of a writer that is gone: nobody writes for an hour. */
const STALE_MS = HOUR_MS;
const MAX_HEADER_BYTES = 4_096;
/** Entries between two looks at what the folder holds, which other processes fill too. */
const WRITES_PER_SWEEP = 500;

/**
 * Files in this folder (made where it is missing), shared with any other process that uses it; without one, the memory of
 * this process. A half-written, changed or foreign file counts as none.
 */
export function createDiskCache(folder: string | null, options: DiskCacheOptions = {}): DiskCache {
  if (folder === null) return createMemoryCache(options.maxBytes ?? MAX_MEMORY_BYTES);
  const { maxBytes = MAX_DISK_BYTES, onTrouble = () => undefined } = options;
  const place = (key: string): string => join(folder, hash('sha256', key, 'hex'));
  let writtenBytes = Infinity;
  let writes = 0;
  let sweeping: Promise<void> | null = null;

  const write = async (key: string, bytes: Uint8Array, meta: CacheMeta): Promise<void> => {
    const header = JSON.stringify({ key, sha256: hash('sha256', bytes, 'hex'), meta });
    if (header.length > MAX_HEADER_BYTES) throw new Error(`too much beside the bytes of ${key}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const unfinished = `${place(key)}.${randomUUID()}`;
    try {
      await writeFile(unfinished, [`${header}\n`, bytes], { mode: 0o600 });
      // Whole or not at all, for a reader in any process.
      await rename(unfinished, place(key));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    writtenBytes += bytes.length;
    writes++;
    // A sixteenth of the cap, and as many small files, may stand over until the next look.
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
        const entry = readEntry(key, await readFile(place(key)));
        if (entry !== null) await utimes(place(key), new Date(), new Date());
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

/** Brings the folder below its cap with some room, and takes away what a dead writer left. */
async function sweep(folder: string, maxBytes: number): Promise<void> {
  const files: { path: string; bytes: number; usedAt: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(absent);
    if (found?.isFile() !== true) continue;
    const isUnfinished = name.includes('.');
    if (!isUnfinished) files.push({ path, bytes: found.size, usedAt: found.mtimeMs });
    else if (Date.now() - found.mtimeMs > STALE_MS) await rm(path, { force: true });
  }
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBytes) return;
  for (const { path, bytes } of files.toSorted((left, right) => left.usedAt - right.usedAt)) {
    if (total <= maxBytes * 0.9) return;
    await rm(path, { force: true });
    total -= bytes;
  }
}

/** Another process may take a file away at any time. */
function absent(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function createMemoryCache(maxBytes: number): DiskCache {
  const entries = new BoundedMap<string, CacheEntry>(maxBytes);
  return {
    get: (key) => Promise.resolve(entries.get(key)),
    put(key, bytes, meta) {
      entries.set(key, { bytes: Buffer.from(bytes), meta }, bytes.length);
      return Promise.resolve();
    },
  };
}
