import { lowerIssuer } from '../../../server/store/checks/certificates.ts';
import { createHash } from 'node:crypto';
import type { CertificateFacts } from '../../../server/core/facts.ts';
import type { Store } from '../../../server/store/db/open-store.ts';
import { searchText } from '../../../server/store/monitors/monitor-row.ts';
import { insertMonitors } from '../databases/insert-rows.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const AT_ONCE = 400;
/** Days left, repeated: most certificates are fine, a few of every fifty are not. */
const DAYS_LEFT = [-3, 2, 6, 11, ...Array.from({ length: 46 }, (_, index) => 20 + ((index * 37) % 160))];
const ISSUERS = [
  ['Let’s Encrypt', 'R13'],
  ['DigiCert', 'TLS RSA 2020 CA1'],
  ['Google Trust Services', 'WE1'],
] as const;

interface Fleet {
  accountId: string;
  count: number;
  now: number;
}

/**
 * Inserts `count` checked domains at once: `host-00000.fjord.example` and so on, the last one added last. None is due within a
 * day.
 */
export async function insertFleet(store: Store, { accountId, count, now }: Fleet): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    for (let from = 0; from < count; from += AT_ONCE) {
      const domains = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, offset) =>
        domainOf({ accountId, count, now }, from + offset),
      );
      await db
        .insertInto('certificates')
        .values(domains.map(({ certificate }) => certificate))
        .execute();
      await insertMonitors(
        { ...store, db },
        domains.map(({ monitor }) => monitor),
      );
    }
  });
}

/** Most hosts were always up; one in ten failed now and then, and one in thirty is new. */
function checksOf(index: number): string {
  if (index % 30 === 7) return 'u'.repeat(index % 90);
  const failed = index % 10 === 3 ? [index % 71, (index * 7) % 89] : [];
  return Array.from({ length: 90 }, (_, place) => (failed.includes(place) ? 'd' : 'u')).join('');
}

function domainOf({ accountId, count, now }: Fleet, index: number) {
  const host = `host-${String(index).padStart(5, '0')}.${['fjord', 'moss', 'orchard'][index % 3]}.example`;
  const notAfter = now + ((DAYS_LEFT[index % DAYS_LEFT.length] ?? 60) + 0.5) * DAY_MS;
  const [authorityName, issuer] = ISSUERS[index % ISSUERS.length] ?? ISSUERS[0];
  const fingerprint = createHash('sha256').update(`${accountId} ${host}`).digest('hex');
  const facts: CertificateFacts = {
    fingerprint,
    serialNumber: index.toString(16),
    issuer,
    subject: host,
    notBefore: notAfter - 90 * DAY_MS,
    notAfter,
    authorityName,
    authorityFullDn: `CN=${issuer},O=${authorityName}`,
    authorityUrl: null,
    sans: [host],
  };
  const tags = index % 7 === 0 ? ['shop'] : [];
  return {
    certificate: {
      fingerprint,
      der: Buffer.from(fingerprint, 'hex'),
      facts: JSON.stringify(facts),
      first_seen_at: now - DAY_MS,
      issuer_line: lowerIssuer(facts),
    },
    monitor: {
      id: crypto.randomUUID(),
      account_id: accountId,
      host,
      port: 443,
      check_every_minutes: 1440,
      created_at: now - (count - index) * 1000,
      next_check_at: now + 2 * DAY_MS,
      checked: 1,
      last_checked_at: now - 60_000 * (index % 50),
      last_read_at: now - 60_000 * (index % 50),
      certificate_fingerprint: fingerprint,
      not_after: notAfter,
      uptime: 'up' as const,
      uptime_since: now - 7 * DAY_MS,
      response_ms: 40 + (index % 60),
      recent_checks: checksOf(index),
      revoked: 0 as const,
      active: 1 as const,
      tags: JSON.stringify(tags),
      search_text: searchText({ host, port: 443, notes: '', tags }),
    },
  };
}
