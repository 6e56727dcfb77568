import { createHash, randomUUID } from 'node:crypto';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { CertificateFacts } from '../../server/core/facts.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { addCertificates } from '../../server/store/checks/certificates.ts';
import { insertMonitors, insertRows } from '../../tests/kit/databases/insert-rows.ts';
import { type Figure, measureRounds } from '../scale/figures.ts';
import { startTwoAccounts } from './two-accounts.ts';

const VERSIONS = 2_500;
const NAMES = 2_000;
const CALLS_OF_ATTACKER = 40;
const MAX_CALL_MS = 1_000;
const AT_ONCE = 50;

/**
 * Measures how much one account delays another while it reads the story of a certificate with 2,500 versions. Each version
 * has 2,000 names, and 2,500 domains serve them.
 */
export async function measureStory(): Promise<Figure[]> {
  const product = await startTwoAccounts();
  const { attacker } = product;
  try {
    const fingerprint = await addVersions(product.store, attacker.id);
    const read = async (status: number, of: string): Promise<void> => {
      const answer = await attacker.ask(CALLS.certificateStory, { params: { fingerprint: of } });
      if (answer.status !== status) throw new Error(`The call was answered with ${answer.status}.`);
      if (status === 200 && answer.ok.data.version_count !== VERSIONS)
        throw new Error(`The story has ${answer.ok.data.version_count} versions.`);
    };
    // The first read starts the search thread, so that it is not measured.
    await read(404, '0'.repeat(64));
    let took: number[] = [];
    const figures = await product.beside('stories', async () => {
      took = await measureRounds(CALLS_OF_ATTACKER, () => read(200, fingerprint));
    });
    return [
      ...figures,
      {
        what: `the longest of ${CALLS_OF_ATTACKER} calls`,
        value: Math.max(...took),
        unit: 'ms',
        max: MAX_CALL_MS,
      },
    ];
  } finally {
    await product.close();
  }
}

/**
 * Adds domains that at first all serve one certificate, and later each a version of its own. Returns the fingerprint of the
 * first version.
 */
async function addVersions(store: Store, accountId: string): Promise<string> {
  const now = Date.now();
  const sans = Array.from({ length: NAMES }, (_, index) => `name-${index}.site.test`);
  const versions = Array.from({ length: VERSIONS }, (_, index) =>
    createHash('sha256').update(`version ${index}`).digest('hex'),
  );
  const factsOf = (fingerprint: string, index: number): CertificateFacts => ({
    fingerprint,
    serialNumber: index.toString(16),
    issuer: 'R13',
    subject: '',
    notBefore: now - 2 * DAY_MS + index,
    notAfter: now + 80 * DAY_MS,
    authorityName: 'Let’s Encrypt',
    authorityFullDn: 'CN=R13,O=Let’s Encrypt,C=US',
    authorityUrl: null,
    sans,
  });
  for (let from = 0; from < VERSIONS; from += AT_ONCE) {
    const added = versions.slice(from, from + AT_ONCE).map((fingerprint, index) => ({
      fingerprint,
      der: Buffer.from(fingerprint, 'hex'),
      facts: factsOf(fingerprint, from + index),
    }));
    await store.db.transaction().execute((trx) => addCertificates(trx, added, now));
  }
  const [first = ''] = versions;
  const monitors = versions.map((fingerprint, index) => ({
    id: randomUUID(),
    account_id: accountId,
    host: `name-${index % NAMES}.site.test`,
    port: 1_000 + index,
    check_every_minutes: 1440,
    created_at: now,
    next_check_at: now + 2 * DAY_MS,
    checked: 1,
    last_checked_at: now,
    last_read_at: now,
    certificate_fingerprint: fingerprint,
    not_after: now + 80 * DAY_MS,
    revoked: 0 as const,
  }));
  const seen = { account_id: accountId, role: 'leaf' as const, last_seen_at: now, shown: 0 as const };
  for (let from = 0; from < VERSIONS; from += AT_ONCE) {
    const batch = monitors.slice(from, from + AT_ONCE);
    await insertMonitors(store, batch);
    await insertRows(
      store,
      'monitor_certificates',
      batch.flatMap(({ id, certificate_fingerprint: own }) =>
        [...new Set([first, own])].map((fingerprint) => ({
          ...seen,
          monitor_id: id,
          id: fingerprint,
          fingerprint,
          first_seen_at: now,
        })),
      ),
    );
  }
  return first;
}
