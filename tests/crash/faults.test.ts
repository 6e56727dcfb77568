import { describe, expect, it, type TestContext } from 'vitest';
import { setClockAhead } from '../faults/clock.ts';
import { openLab } from '../faults/lab.ts';
import { startLedger } from '../faults/ledger-process.ts';
import { refuseMail } from '../faults/mail.ts';
import { cutOwnNetwork } from '../faults/own-network.ts';
import { startFakeInternet } from '../faults/fake-internet.ts';
import { refuseWebhooks } from '../faults/webhooks.ts';
import {
  ANY_DATABASE,
  type Database,
  type DatabaseName,
  freshDatabase,
  hasDatabase,
} from '../kit/databases/database.ts';

const SEED = 1;
const START = Date.UTC(2027, 2, 1, 9, 30);

// Runs small versions of the scenarios of `npm run bench -- faults`.
for (const name of ANY_DATABASE)
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

    it('are not sent because of an outage of our own network', async ({ onTestFinished, ...context }) => {
      const database = await freshOne(name, { ...context, onTestFinished });
      const internet = await startFakeInternet({ now: START });
      let isSilent = false;
      const mails = await startLedger('mail', database.dataDir);
      const lab = await openLab({
        database,
        internet: internet.addresses,
        smtpUrl: `smtp://127.0.0.1:${mails.port}`,
        start: START,
        seed: SEED,
        onClock: internet.setClock,
        isDnsSilent: () => isSilent,
        concurrency: 20,
      });
      onTestFinished(async () => {
        await lab.close();
        await Promise.all([internet.stop(), mails.stop()]);
      });
      // Without permission to create network namespaces, the test makes DNS fail instead of cutting the network.
      const link = {
        cut: async (how: 'fail' | 'drop') => {
          isSilent = how === 'drop';
          internet.breakDns(isSilent ? 'silent' : 'refused');
        },
        restore: async () => {
          isSilent = false;
          internet.breakDns(null);
        },
        pointNames: async (hosts: readonly string[], isUp: boolean) => internet.pointNames(hosts, isUp),
      };
      const outcome = await cutOwnNetwork({ lab, link, mails, domains: 40, realOutages: 2 });
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
