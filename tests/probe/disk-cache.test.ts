import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDiskCache } from '../../server/probe/sources/disk-cache.ts';

let folder: string;
beforeEach(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'cache-'));
  folder = join(parent, 'cache');
  onTestFinished(() => rm(parent, { recursive: true }));
});

const bytes = (length: number, fill = 7): Buffer => Buffer.alloc(length, fill);
const files = async (): Promise<string[]> => (await readdir(folder)).map((name) => join(folder, name));

describe.each(['in a folder', 'in memory'])('The cache %s', (kind) => {
  const create = (maxBytes?: number) =>
    createDiskCache(kind === 'in memory' ? null : folder, maxBytes === undefined ? {} : { maxBytes });

  it('returns the last value of a key', async () => {
    const cache = create();
    expect(await cache.get('http://ca.test/a.crl')).toBeNull();
    await cache.put('http://ca.test/a.crl', bytes(10), { at: 1, etag: null });
    await cache.put('http://ca.test/a.crl', bytes(20), { at: 2, etag: '"2"' });
    await cache.put('http://ca.test/b.crl', Buffer.alloc(0), {});
    expect(await cache.get('http://ca.test/a.crl')).toEqual({
      bytes: bytes(20),
      meta: { at: 2, etag: '"2"' },
    });
    expect(await cache.get('http://ca.test/b.crl')).toEqual({ bytes: Buffer.alloc(0), meta: {} });
  });

  it('stays below its size limit by dropping the least recently used entries', async () => {
    const cache = create(102_000);
    for (const key of ['a', 'b', 'c']) {
      await cache.put(key, bytes(30_000), {});
      if (kind === 'in a folder') await used(key, { a: 3, b: 2, c: 1 }[key] ?? 0);
    }
    expect(await cache.get('a')).not.toBeNull();
    await cache.put('d', bytes(30_000), {});
    expect(await cache.get('b')).toBeNull();
    for (const key of ['a', 'c', 'd']) expect(await cache.get(key), key).not.toBeNull();
  });

  /** Sets the time of the file's last use to some minutes ago: file times are too coarse to tell two uses in a row apart. */
  async function used(key: string, minutesAgo: number): Promise<void> {
    for (const path of await files()) {
      if (!(await readFile(path, 'latin1')).includes(`"key":"${key}"`)) continue;
      const at = new Date(Date.now() - minutesAgo * 60_000);
      await utimes(path, at, at);
    }
  }
});

describe('The cache in a folder', () => {
  it('is readable only by its owner and uses hashes as file names', async () => {
    await createDiskCache(folder).put('../../etc/passwd', bytes(10), {});
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const [file = ''] = await files();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(file).toMatch(/\/[0-9a-f]{64}$/);
    expect(await readdir(join(folder, '..'))).toEqual(['cache']);
  });

  it('is shared by two instances that write the same keys at the same time', async () => {
    const [one, other] = [createDiskCache(folder), createDiskCache(folder)];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? one : other).put(`key ${index % 4}`, bytes(50_000, index), { index }),
      ),
    );
    for (let key = 0; key < 4; key++) {
      const found = await other.get(`key ${key}`);
      expect(found?.bytes).toEqual(bytes(50_000, Number(found?.meta.index)));
    }
    expect(await files()).toHaveLength(4);
  });

  it('ignores files that are truncated, altered or of another key', async () => {
    const cache = createDiskCache(folder);
    await cache.put('key', bytes(1_000), { at: 1 });
    const [file = ''] = await files();
    const whole = await readFile(file);
    const flipped = Buffer.from(whole);
    flipped[500] = 0;
    const broken = [
      ...[0, 1, 40, whole.length - 1].map((length) => whole.subarray(0, length)),
      flipped,
      Buffer.concat([whole, Buffer.of(7)]),
      Buffer.from('null\n'),
      Buffer.from('{"key":"key","meta":[]}\n'),
      Buffer.from(whole.toString('latin1').replace('"at":1', '"at":{}'), 'latin1'),
      Buffer.from(whole.toString('latin1').replace('"key":"key"', '"key":"yek"'), 'latin1'),
    ];
    for (const content of broken) {
      await writeFile(file, content);
      expect(await cache.get('key')).toBeNull();
    }
    await cache.put('key', bytes(10), {});
    expect(await cache.get('key')).not.toBeNull();
  });

  it('removes temporary files of a dead writer', async () => {
    const cache = createDiskCache(folder, { maxBytes: 1_000 });
    await cache.put('key', bytes(10), {});
    const left = join(folder, `${'0'.repeat(64)}.gone`);
    await writeFile(left, 'half');
    const longAgo = new Date(Date.now() - 7_200_000);
    await utimes(left, longAgo, longAgo);
    await cache.put('other', bytes(100), {});
    expect((await files()).filter((path) => path.includes('.gone'))).toEqual([]);
  });

  it('stores nothing if its folder is unusable, and reports that', async () => {
    const onTrouble = vi.fn();
    await writeFile(folder, 'a file');
    const cache = createDiskCache(folder, { onTrouble });
    await cache.put('key', bytes(10), {});
    expect(await cache.get('key')).toBeNull();
    expect(onTrouble).toHaveBeenCalledTimes(2);
  });
});
