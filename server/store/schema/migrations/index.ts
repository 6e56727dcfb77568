import type { Kysely } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { createInitialSchema } from './0021-initial-schema/index.ts';
import { addCertificates } from './0022-certificates.ts';
import { addServedCertificates } from './0023-served-certificates.ts';
import { addTargets } from './0024-targets.ts';
import { separateXmppServer } from './0025-xmpp-server.ts';
import { addMessageLanes } from './0026-message-lanes.ts';
import { addCertificateNames } from './0027-certificate-names.ts';
import { addDatabaseId } from './0028-database-id.ts';
import { addOwnIcons } from './0029-own-icons.ts';
import { orderCertificateIncidents } from './0030-group-order.ts';
import { addOtherLeaves } from './0031-other-leaves.ts';
import { listWorstFirst } from './0032-worst-first.ts';
import { addIssuers } from './0033-certificate-issuers.ts';
import { addCertificateProblems } from './0034-certificate-problems.ts';
import { listRefused } from './0035-refused-by-some.ts';
import { addIncidentMembers } from './0036-incident-members.ts';
import { listFlawed } from './0037-flaws.ts';
import { addSortNames } from './0038-sort-names.ts';
import { addLogLists } from './0039-log-lists.ts';
import { addDeadlines } from './0040-deadlines.ts';
import { addForecasts } from './0041-forecasts.ts';

export interface SchemaChange {
  up: (db: Kysely<unknown>, dialect: DialectName) => Promise<void>;
  /**
   * Whether processes of the previous version cannot continue after it: a table or column that they use is gone or means something
   * else, or rows that they write would lack something. A breaking migration waits until these processes have ended.
   */
  breaking: boolean;
}

/**
 * All migrations in order. The leading number is the level that a migration brings the database to. Released migrations are
 * never edited. They import no other code of the product, so that they do the same for ever.
 */
export const MIGRATIONS: Readonly<Record<string, SchemaChange>> = {
  '0021-initial-schema': { up: createInitialSchema, breaking: false },
  '0022-certificates': { up: addCertificates, breaking: false },
  '0023-served-certificates': { up: addServedCertificates, breaking: false },
  // An older program would check a monitor with a target at the addresses of its host, and report it as down.
  '0024-targets': { up: addTargets, breaking: true },
  // An older program cannot check a monitor whose protocol it does not know.
  '0025-xmpp-server': { up: separateXmppServer, breaking: true },
  '0026-message-lanes': { up: addMessageLanes, breaking: false },
  '0027-certificate-names': { up: addCertificateNames, breaking: false },
  '0028-database-id': { up: addDatabaseId, breaking: false },
  '0029-own-icons': { up: addOwnIcons, breaking: false },
  '0030-group-order': { up: orderCertificateIncidents, breaking: false },
  '0031-other-leaves': { up: addOtherLeaves, breaking: false },
  '0032-worst-first': { up: listWorstFirst, breaking: false },
  '0033-certificate-issuers': { up: addIssuers, breaking: false },
  '0034-certificate-problems': { up: addCertificateProblems, breaking: false },
  '0035-refused-by-some': { up: listRefused, breaking: false },
  // An older program would look for the state of each domain in the incidents.
  '0036-incident-members': { up: addIncidentMembers, breaking: true },
  '0037-flaws': { up: listFlawed, breaking: false },
  '0038-sort-names': { up: addSortNames, breaking: false },
  '0039-log-lists': { up: addLogLists, breaking: false },
  '0040-deadlines': { up: addDeadlines, breaking: false },
  '0041-forecasts': { up: addForecasts, breaking: false },
};

/** Returns the level of a migration: `0021-initial-schema` → 21. */
export function levelOf(migration: string): number {
  return Number(migration.slice(0, 4));
}

/** The level that this program works with. */
export const PROGRAM_LEVEL = Math.max(...Object.keys(MIGRATIONS).map(levelOf));
