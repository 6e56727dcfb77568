import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPackages } from '../tests/kit/machine/debian-package.ts';
import { BIND_PACKAGES } from '../tests/kit/peers/bind.ts';
import { UNBOUND_PACKAGES } from '../tests/kit/peers/unbound.ts';

// Compares forecasts of renewals with what the ACME server Pebble does, and measures what forecasts cost.

//   npm run bench -- forecast        1,000 certificates
//   npm run bench -- forecast 41     41 pairs of a certificate with a fault and its healthy twin

installPackages([...BIND_PACKAGES, ...UNBOUND_PACKAGES, 'bind9-dnsutils', 'pebble', 'openssl', 'iproute2']);
const ADDRESSES = ['192.0.2.1/32', '192.0.2.5/32', '192.0.2.9/32'];
const ADDRESSES_6 = ['2001:db8::1/128', '2001:db8::5/128', '2001:db8::9/128'];
const script = [
  'ip link set lo up',
  ...ADDRESSES.map((address) => `ip addr add ${address} dev lo`),
  ...ADDRESSES_6.map((address) => `ip -6 addr add ${address} dev lo nodad`),
  'exec "$@"',
].join(' && ');
const inside = join(import.meta.dirname, 'forecast', 'inside.ts');
const { status } = spawnSync(
  'unshare',
  ['-rnm', 'sh', '-c', script, 'sh', process.execPath, inside, ...process.argv.slice(3)],
  { stdio: 'inherit' },
);
if (status === null) throw new Error('This bench needs Linux with unshare(1), ip(8) and namespaces.');
process.exitCode = status;
