// Adds monitors until it is killed. Prints each host once the store has acknowledged it.
// Arguments: DATA_DIR, account id, prefix of the hosts and, if there is one, DATABASE_URL.
import { writeSync } from 'node:fs';
import { openStore } from '../../server/store/db/open-store.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';

const [dataDir = '', accountId = '', prefix = '', databaseUrl = null] = process.argv.slice(2);
const store = await openStore({ databaseUrl, dataDir });
for (let count = 0; ; count++) {
  const host = `${prefix}${count}.example`;
  await addMonitor(store, {
    accountId,
    host,
    port: 443,
    protocol: 'https',
    checkEveryMinutes: 1440,
    now: 0,
    mayAdd: () => true,
  });
  // Writes directly to the pipe: a killed process loses what is in its buffers.
  writeSync(1, `${host}\n`);
}
