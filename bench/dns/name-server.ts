import { startDnsServer } from '../../tests/kit/peers/dns-server.ts';
import { DEAD_NAMES, deadName, LIVING_NAMES, livingName } from './protocol.ts';

// The name server runs in a process of its own, so that the bench does not measure its work.

const living = Array.from(
  { length: LIVING_NAMES },
  (_, index) => [livingName(index), { addresses: ['93.184.215.14'] }] as const,
);
const dead = Array.from(
  { length: DEAD_NAMES },
  (_, index) => [deadName(index), { answer: 'silent' }] as const,
);
await startDnsServer(Object.fromEntries([...living, ...dead]), 53);
process.send?.('ready');
process.once('disconnect', () => process.exit());
