import { describe, expect, it, type TestContext } from 'vitest';
import { setClockAhead } from '../faults/clock.ts';
import { openLab } from '../faults/lab.ts';
import { startLedger } from '../faults/ledger-process.ts';
import { refuseMail } from '../faults/mail.ts';
import { cutOwnNetwork } from '../faults/own-network.ts';
import { startPlaces } from '../faults/places.ts';
import { refuseWebhooks } from '../faults/webhooks.ts';
import { DATABASES, type Database, type DatabaseName, freshDatabase, hasDatabase } from '../kit/database.ts';

const SEED = 1;
const START = Date.UTC(2027, 2, 1, 9, 30);

/** In a small size what `npm run bench -- faults` does in a large one. */
for (const name of DATABASES)
  describe(`alerts among faults (${name})`, { skip: !hasDatabase(name) }, () => {
    it('reach their mailboxes, or show that they cannot', async (context) => {
      const database = await freshOne(name, context);
      const outcome = await refuseMail({ database, accounts: 1, alerts: 1, seed: SEED });
      expect(outcome.broken).toEqual([]);
    });

    it('reach their webhooks, or end the channel and tell its owner', async (context) => {
      const database = await freshOne(name, context);
      expect((await refuseWebhooks({ database, alerts: 1, seed: SEED })).broken).toEqual([]);
    });

    it('stay where they are while the clock is wrong', async (context) => {
      const database = await freshOne(name, context);
      expect((await setClockAhead({ database, domains: 12, due: 4, seed: SEED })).broken).toEqual([]);
    });

    it('are not made by an outage of our own', async ({ onTestFinished, ...context }) => {
      const database = await freshOne(name, { ...context, onTestFinished });
      const places = await startPlaces({ now: START });
      const mails = await startLedger('mail', database.dataDir);
      const lab = await openLab({
        database,
        places: places.map,
        smtpUrl: `smtp://127.0.0.1:${mails.port}`,
        start: START,
        seed: SEED,
        onClock: places.setClock,
        dnsPatienceMs: 250,
        concurrency: 20,
      });
      onTestFinished(async () => {
        await lab.close();
        await Promise.all([places.stop(), mails.stop()]);
      });
      // Where nobody may make network namespaces, names cannot be looked up any more instead.
      const line = {
        cut: async (how: 'dead' | 'deaf') => places.garble(how === 'dead' ? 'refused' : 'silent'),
        mend: async () => places.garble(null),
        lead: async (hosts: readonly string[], here: boolean) => places.lead(hosts, here),
      };
      const outcome = await cutOwnNetwork({ lab, line, mails, domains: 40, truly: 2 });
      expect(outcome.broken).toEqual([]);
    });
  });

async function freshOne(
  name: DatabaseName,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
): Promise<Database> {
  const database = await freshDatabase(name);
  onTestFinished(() => database.remove());
  return database;
}
