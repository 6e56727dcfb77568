import { execFileSync } from 'node:child_process';
import { type Places, startPlaces } from '../places.ts';
import { OUTSIDE, type WorldOrder, type WorldReport } from './protocol.ts';

// Runs the hosts, the name server and the canaries in a network namespace of their own. A link connects it to the
// product's namespace.

let places: Places | null = null;
const ip = (...what: string[]) => execFileSync('ip', what);

process.on('message', (order: WorldOrder) => {
  void (async () => {
    if (order.kind === 'open') {
      if (places === null) {
        ip('link', 'set', 'lo', 'up');
        ip('addr', 'add', `${OUTSIDE.address}/24`, 'dev', OUTSIDE.device);
        ip('link', 'set', OUTSIDE.device, 'up');
      }
      await places?.stop();
      places = await startPlaces({ address: OUTSIDE.address, now: order.now });
    }
    if (order.kind === 'lead') places?.lead(order.hosts, order.here);
    if (order.kind === 'clock') places?.setClock(order.now);
    const report: WorldReport = { number: order.number, ...(places && { map: places.map }) };
    process.send?.(report);
  })();
});
process.on('disconnect', () => process.exit(0));
