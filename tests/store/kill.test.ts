import { sql } from 'kysely';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMPILE_CACHE } from '../kit/product/app.ts';
import { type Database, DATABASES, freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { person } from './samples.ts';

const KILLS = 5;

describe.each(DATABASES.filter(hasDatabase))('a writer that is killed with kill -9 (%s)', (name) => {
  it('loses no acknowledged write and leaves an intact database', async () => {
    const database = await freshDatabase(name);
    onTestFinished(() => database.remove());
    const store = await database.open();
    const { id } = await person(store, 'alice');
    await store.close();

    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await writeUntilKilled(database, id, `run${kill}-`, 5 + kill * 7);
      const reopened = await database.open();
      const rows = await reopened.db.selectFrom('monitors').select('host').execute();
      const kept = new Set(rows.map(({ host }) => host));
      expect(acknowledged.filter((host) => !kept.has(host))).toEqual([]);
      if (name === 'sqlite')
        expect((await sql`pragma integrity_check`.execute(reopened.db)).rows).toEqual([
          { integrity_check: 'ok' },
        ]);
      await reopened.close();
    }
  });
});

/** Kills the writer some time after it has made `count` writes. Returns the hosts whose writes were acknowledged. */
async function writeUntilKilled(
  { dataDir, databaseUrl }: Database,
  accountId: string,
  prefix: string,
  count: number,
): Promise<string[]> {
  const program = join(import.meta.dirname, 'endless-writer.ts');
  const args = [program, dataDir, accountId, prefix, ...(databaseUrl === null ? [] : [databaseUrl])];
  const writer = spawn(process.execPath, args, {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  writer.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.split('\n').length > count) writer.kill('SIGKILL');
  });
  const [, signal] = await once(writer, 'close');
  expect(signal).toBe('SIGKILL');
  return said.split('\n').slice(0, -1);
}
