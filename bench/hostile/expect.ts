import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { STANDARD_LIMITS } from '../../server/core/index.ts';
import { selfSigned } from '../../tests/kit/certificates/mint.ts';
import { insertRows } from '../../tests/kit/databases/insert-rows.ts';
import { type Figure, measureRounds } from '../scale/figures.ts';
import { startNeighbours } from './neighbour.ts';

const DOMAINS = 10_000;
const NAMES = 6_001;
const ACCEPTED = STANDARD_LIMITS.expectationsPerDomain;
/** With the accepted ones these are as many calls as an account may make in an hour. */
const REFUSED = 20 - ACCEPTED;
/** Number of the domains that are checked. */
const CHECKED = 500;
const POLL_MS = 250;
const PATIENCE_MS = 300_000;

/**
 * Measures what another account notices while one announces certificates with 6,001 names for 10,000 domains, while further calls are
 * refused, and while domains are checked that wait for as many certificates as they may.
 */
export async function measureExpect(): Promise<Figure[]> {
  const product = await startNeighbours();
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
        .set({ next_check_at: from })
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
    // First checks include more than later ones.
    await checkAll();
    const [checkedAlone = Number.NaN] = await measureRounds(1, checkAll);

    const announce = async (status: number): Promise<void> => {
      const { certificatePem: pem } = selfSigned({
        dnsNames: [
          ...Array.from({ length: NAMES - 1 }, (_, index) => `${index.toString(36)}.a`),
          '*.site.test',
        ],
        notBefore: now - DAY_MS,
        notAfter: now + 80 * DAY_MS,
      });
      const answer = await attacker.ask(CALLS.expectCertificate, { body: { pem } });
      if (answer.status !== status) throw new Error(`The call was answered with ${answer.status}.`);
    };
    let accepted: number[] = [];
    let refused: number[] = [];
    let checked: number[] = [];
    const figures = [
      ...(await product.beside('accepted calls', async () => {
        accepted = await measureRounds(ACCEPTED, () => announce(200));
      })),
      ...(await product.beside('refused calls', async () => {
        refused = await measureRounds(REFUSED, () => announce(409));
      })),
      ...(await product.beside('checks', async () => {
        checked = await measureRounds(1, checkAll);
      })),
    ];
    return [
      ...figures,
      { what: `the longest of ${ACCEPTED} accepted calls`, value: Math.max(...accepted), unit: 'ms' },
      { what: `the longest of ${REFUSED} refused calls`, value: Math.max(...refused), unit: 'ms' },
      { what: `checks of ${CHECKED} domains without expectations`, value: checkedAlone, unit: 'ms' },
      { what: `the same with ${ACCEPTED} for each domain`, value: Math.max(...checked), unit: 'ms' },
    ];
  } finally {
    await product.close();
  }
}
