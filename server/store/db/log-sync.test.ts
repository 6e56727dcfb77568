import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LogSync } from './log-sync.ts';

/** Returns a log whose disk writes only end when the test ends them. */
function logWithHeldWrites() {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'db-wal'), '');
  const writes: PromiseWithResolvers<void>[] = [];
  const log = new LogSync(join(folder, 'db'), () => {
    const write = Promise.withResolvers<void>();
    writes.push(write);
    return write.promise;
  });
  onTestFinished(() => log.close());
  const ended: string[] = [];
  const commit = (name: string): Promise<void> => log.wait().then(() => void ended.push(name));
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { log, writes, commit, ended, settled };
}

it('Commits that arrive during a disk write wait for the next disk write and share it', async () => {
  const { writes, commit, ended, settled } = logWithHeldWrites();
  const first = commit('first');
  await settled();
  const others = [commit('second'), commit('third')];
  await settled();
  expect(writes).toHaveLength(1);
  writes[0]?.resolve();
  await first;
  await settled();
  expect(ended).toEqual(['first']);
  expect(writes).toHaveLength(2);
  const last = commit('fourth');
  writes[1]?.resolve();
  await Promise.all(others);
  expect(ended).toEqual(['first', 'second', 'third']);
  await settled();
  writes[2]?.resolve();
  await last;
});

it('After a failed disk write every later commit fails too, without another disk write', async () => {
  const { log, writes, commit, settled } = logWithHeldWrites();
  const first = commit('first');
  await settled();
  const second = commit('second');
  second.catch(() => undefined);
  writes[0]?.reject(new Error('EIO'));
  await expect(first).rejects.toThrow('EIO');
  await expect(second).rejects.toThrow('EIO');
  await expect(commit('third')).rejects.toThrow('EIO');
  expect(() => log.refuseAfterFailure()).toThrow('EIO');
  expect(writes).toHaveLength(1);
});

it('The log is closed only after the disk writes that were asked for', async () => {
  const { log, writes, commit, ended, settled } = logWithHeldWrites();
  const commits = [commit('first')];
  await settled();
  commits.push(commit('second'));
  const closing = log.close().then(() => void ended.push('closed'));
  writes[0]?.resolve();
  await settled();
  expect(ended).toEqual(['first']);
  writes[1]?.resolve();
  await Promise.all([...commits, closing]);
  expect(ended).toEqual(['first', 'second', 'closed']);
});
