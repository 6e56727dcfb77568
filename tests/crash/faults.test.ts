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

/** The small version of what `npm run bench -- faults` does on a large scale. */
for (const name of DATABASES)
  describe(`Alerts during faults (${name})`, { skip: !hasDatabase(name) }, () => {
    it('reach their mailboxes or end as failed when mail is refused', async (context) => {
      const database = await freshOne(name, context);
      const outcome = await refuseMail({ database, accounts: 1, alerts: 1, seed: SEED });
      expect(outcome.broken).toEqual([]);
    });

    it('reach their webhooks, or the channel is switched off and its owner gets a mail', async (context) => {
      const database = await freshOne(name, context);
      expect((await refuseWebhooks({ database, alerts: 1, seed: SEED })).broken).toEqual([]);
    });

    it('are neither sent nor lost while the clock is wrong', async (context) => {
      const database = await freshOne(name, context);
      expect((await setClockAhead({ database, domains: 12, due: 4, seed: SEED })).broken).toEqual([]);
    });

    it('are not caused by an outage of our own network', async ({ onTestFinished, ...context }) => {
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
      // Without permission to create network namespaces, DNS fails instead.
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
