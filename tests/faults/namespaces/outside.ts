import { execFileSync } from 'node:child_process';
import { type FakeInternet, startFakeInternet } from '../fake-internet.ts';
import { OUTSIDE, type WorldOrder, type WorldReport } from './protocol.ts';

// Runs the hosts, the name server and the canaries in a network namespace of their own. A link connects it to the
// product's namespace.

let internet: FakeInternet | null = null;
const ip = (...what: string[]) => execFileSync('ip', what);

process.on('message', (order: WorldOrder) => {
  void (async () => {
    if (order.kind === 'open') {
      if (internet === null) {
        ip('link', 'set', 'lo', 'up');
        ip('addr', 'add', `${OUTSIDE.address}/24`, 'dev', OUTSIDE.device);
        ip('link', 'set', OUTSIDE.device, 'up');
      }
      await internet?.stop();
      internet = await startFakeInternet({ address: OUTSIDE.address, now: order.now });
    }
    if (order.kind === 'pointNames') internet?.pointNames(order.hosts, order.isUp);
    if (order.kind === 'clock') internet?.setClock(order.now);
    const report: WorldReport = { number: order.number, ...(internet && { addresses: internet.addresses }) };
    process.send?.(report);
  })();
});
process.on('disconnect', () => process.exit(0));
