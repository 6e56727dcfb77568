import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../kit/databases/database.ts';

// PostgreSQL databases are used again by the next test of the same worker.
describeEachDatabase('a test that changes the schema', (open) => {
  it('sees its own change', async () => {
    const { db } = await open();
    await sql`alter table monitors add column changed_by_a_test integer`.execute(db);
    await sql`select changed_by_a_test from monitors`.execute(db);
  });

  it('does not affect the database of the next test', async () => {
    const { db } = await open();
    await expect(sql`select changed_by_a_test from monitors`.execute(db)).rejects.toThrow(
      'changed_by_a_test',
    );
  });
});
