import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { selfSigned } from '../../tests/kit/certificates/mint.ts';
import { insertRows } from '../../tests/kit/databases/insert-rows.ts';
import { type Figure, measureRounds } from '../scale/figures.ts';
import { startTwoAccounts } from './two-accounts.ts';

const DOMAINS = 10_000;
const NAMES = 6_001;
const ACCEPTED = STANDARD_LIMITS.expectationsPerDomain;
/** Number of refused calls. With the accepted ones they are as many calls as an account may make in an hour. */
const REFUSED = 20 - ACCEPTED;
/** Number of domains whose checks are measured. They become due within `CHECKED_WITHIN_MS`. */
const CHECKED = 500;
const CHECKED_WITHIN_MS = 10_000;
const POLL_MS = 250;
const PATIENCE_MS = 300_000;

/**
 * Measures how much one account delays another in four situations: while it announces certificates with 6,001 names for 10,000 domains, while
 * its further calls are refused, and while 50 of its domains are checked per second, without and with as many announcements as allowed.
 */
export async function measureExpect(): Promise<Figure[]> {
  const product = await startTwoAccounts();
  const { store, attacker, hosts, addresses } = product;
  try {
    const names = Array.from({ length: DOMAINS }, (_, index) => `h${index}.site.test`);
    for (const name of names.slice(0, CHECKED)) addresses.set(name, { addresses: ['127.0.0.1'] });
    const now = Date.now();
    await insertRows(
      store,
      'monitors',
      names.map((host) => ({
        id: randomUUID(),
        account_id: attacker.id,
        host,
        port: hosts.port,
        protocol: 'tls' as const,
        check_every_minutes: 1440,
        created_at: now,
        next_check_at: now + 2 * DAY_MS,
        revoked: 0 as const,
      })),
    );
    const monitors = store.db.selectFrom('monitors').where('host', 'in', names.slice(0, CHECKED));
    const checkAll = async (): Promise<void> => {
      const from = Date.now();
      await store.db
        .updateTable('monitors')
        .set({ next_check_at: sql`${from} + abs(random() % ${CHECKED_WITHIN_MS})` })
        .where('host', 'in', names.slice(0, CHECKED))
        .execute();
      const waiting = monitors
        .select('id')
        .where((eb) => eb.or([eb('last_checked_at', 'is', null), eb('last_checked_at', '<', from)]));
      while ((await waiting.limit(1).execute()).length > 0) {
        if (Date.now() - from > PATIENCE_MS) throw new Error('The checks took more than five minutes.');
        await delay(POLL_MS);
      }
    };
    // The first check of a domain does more work than later ones.
    await checkAll();
    const calm = await product.beside('checks without expectations', checkAll);

    // Made before the calls, because minting a certificate would keep this process from measuring.
    const pems = Array.from({ length: ACCEPTED + REFUSED }, () => announcement(now));
    const announce = async (status: number): Promise<void> => {
      const answer = await attacker.ask(CALLS.expectCertificate, { body: { pem: pems.pop() ?? '' } });
      if (answer.status !== status) throw new Error(`The call was answered with ${answer.status}.`);
    };
    let accepted: number[] = [];
    let refused: number[] = [];
    const figures = [
      ...calm,
      ...(await product.beside('accepted calls', async () => {
        accepted = await measureRounds(ACCEPTED, () => announce(200));
      })),
      ...(await product.beside('refused calls', async () => {
        refused = await measureRounds(REFUSED, () => announce(409));
      })),
      ...(await product.beside(`checks with ${ACCEPTED} expectations for each domain`, checkAll)),
    ];
    return [
      ...figures,
      { what: `the longest of ${ACCEPTED} accepted calls`, value: Math.max(...accepted), unit: 'ms' },
      { what: `the longest of ${REFUSED} refused calls`, value: Math.max(...refused), unit: 'ms' },
    ];
  } finally {
    await product.close();
  }
}

/** Returns a new certificate in PEM for 6,000 names and those below `site.test`. */
function announcement(now: number): string {
  const others = Array.from({ length: NAMES - 1 }, (_, index) => `${index.toString(36)}.a`);
  return selfSigned({
    dnsNames: [...others, '*.site.test'],
    notBefore: now - DAY_MS,
    notAfter: now + 80 * DAY_MS,
  }).certificatePem;
}
