// Adds monitors until it is killed and says each one's host once the store has acknowledged it.
// Arguments: DATA_DIR, the account, a prefix for the hosts, DATABASE_URL where there is one.
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
  // Straight to the pipe: what a killed process still has in its buffers would be missing.
  writeSync(1, `${host}\n`);
}
