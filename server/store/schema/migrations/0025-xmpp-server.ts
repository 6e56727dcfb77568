import { type Kysely, sql } from 'kysely';

/** Moves XMPP at port 5269, at which servers connect to each other, to the new protocol `xmpp-server`. */
export async function separateXmppServer(db: Kysely<unknown>): Promise<void> {
  for (const table of ['monitors', 'glances'])
    await sql`update ${sql.table(table)} set protocol = 'xmpp-server' where protocol = 'xmpp' and port = 5269`.execute(
      db,
    );
}
