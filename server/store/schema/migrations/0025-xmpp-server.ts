import { type Kysely, sql } from 'kysely';

/** Gives XMPP between servers a protocol of its own. Until now it was XMPP at port 5269. */
export async function separateXmppServer(db: Kysely<unknown>): Promise<void> {
  for (const table of ['monitors', 'glances'])
    await sql`update ${sql.table(table)} set protocol = 'xmpp-server' where protocol = 'xmpp' and port = 5269`.execute(
      db,
    );
}
