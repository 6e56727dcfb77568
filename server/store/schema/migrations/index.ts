import type { Kysely } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { createFirstTables } from './0001-first-tables.ts';
import { createIdentityProviderTables } from './0002-identity-provider-tables.ts';
import { createPlansAndMails } from './0003-plans-and-mails.ts';
import { createIdentityFactors } from './0004-identity-factors.ts';
import { createDescriptionsAndGlances } from './0005-descriptions-and-glances.ts';
import { createProtocolsAndUptime } from './0006-protocols-and-uptime.ts';
import { createChannelsAndIncidents } from './0007-channels-and-incidents.ts';
import { createAccountFirstTables } from './0008-account-first.ts';
import { createApiTokens } from './0009-api-tokens.ts';
import { createListing } from './0010-reading.ts';
import { createStatusPages } from './0011-status-pages.ts';
import { createLanes } from './0012-lanes.ts';
import { createTotals } from './0013-totals.ts';
import { createBoundedStorage } from './0014-bounded-storage.ts';
import { createRenewalSchedules } from './0016-renewal-schedules.ts';
import { createMailedLinks } from './0019-mailed-links.ts';
import { createSignUps } from './0020-sign-ups.ts';

export interface SchemaChange {
  up: (db: Kysely<unknown>, dialect: DialectName) => Promise<void>;
  /**
   * Whether processes of the version before cannot go on once it is made: a table or column they use is gone or means
   * something else, what they write lacks something, or they would fight for its locks. It then waits for their end; any other is made beside them.
   */
  breaking: boolean;
}

/** In order, append-only: what was released is never edited. The number in front is the level of the database. */
export const MIGRATIONS: Readonly<Record<string, SchemaChange>> = {
  '0001-first-tables': { up: createFirstTables, breaking: false },
  '0002-identity-provider-tables': { up: createIdentityProviderTables, breaking: false },
  '0003-plans-and-mails': { up: createPlansAndMails, breaking: true },
  '0004-identity-factors': { up: createIdentityFactors, breaking: false },
  '0005-descriptions-and-glances': { up: createDescriptionsAndGlances, breaking: true },
  '0006-protocols-and-uptime': { up: createProtocolsAndUptime, breaking: true },
  '0007-channels-and-incidents': { up: createChannelsAndIncidents, breaking: true },
  '0008-account-first': { up: createAccountFirstTables, breaking: true },
  '0009-api-tokens': { up: createApiTokens, breaking: false },
  '0010-reading': { up: createListing, breaking: true },
  '0011-status-pages': { up: createStatusPages, breaking: false },
  '0012-lanes': { up: createLanes, breaking: true },
  '0013-totals': { up: createTotals, breaking: false },
  '0014-bounded-storage': { up: createBoundedStorage, breaking: false },
  '0016-renewal-schedules': { up: createRenewalSchedules, breaking: false },
  '0019-mailed-links': { up: createMailedLinks, breaking: false },
  '0020-sign-ups': { up: createSignUps, breaking: false },
};

/** The level that a migration brings: `0007-channels-and-incidents` → 7. */
export function levelOf(migration: string): number {
  return Number(migration.slice(0, 4));
}

/** The level that this program works with. */
export const PROGRAM_LEVEL = Math.max(...Object.keys(MIGRATIONS).map(levelOf));
