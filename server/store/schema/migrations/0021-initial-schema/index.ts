import type { Kysely } from 'kysely';
import type { DialectName } from '../../../db/dialect.ts';
import { createAccountTables } from './accounts.ts';
import { createAlertTables } from './alerts.ts';
import { createBillingTables } from './billing.ts';
import { createCheckTables } from './checks.ts';
import { createIdentityTables } from './identity.ts';
import { createMailTables } from './mail.ts';
import { createMonitorListing } from './monitor-listing.ts';
import { createMonitorTables } from './monitors.ts';
import { createPublishingTables } from './publishing.ts';

/** Creates all tables, each after those that its foreign keys refer to. */
export async function createInitialSchema(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createAccountTables(db, dialect);
  await createIdentityTables(db, dialect);
  await createBillingTables(db);
  await createMonitorTables(db, dialect);
  await createMonitorListing(db, dialect);
  await createCheckTables(db, dialect);
  await createAlertTables(db);
  await createMailTables(db);
  await createPublishingTables(db);
}
