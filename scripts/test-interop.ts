import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIND, checkBind } from '../tests/interop/bind.ts';
import { CERTBOT, checkCertbot } from '../tests/interop/certbot.ts';
import { checkDnssec, DNSSEC } from '../tests/interop/dnssec.ts';
import { checkForecast, FORECAST } from '../tests/interop/forecast.ts';
import { SERVERS } from '../tests/interop/servers.ts';
import { checkServer, formatOutcomes, type Outcome } from '../tests/interop/check-server.ts';
import { FAIL2BAN } from '../tests/interop/traces.ts';
import { installPackages, librariesOf } from '../tests/kit/machine/debian-package.ts';
import { answerHelp } from './help-option.ts';

answerHelp(`Checks real servers from Debian's packages, each started from its own configuration on free loopback ports, renews a
certificate with certbot, resolves names behind BIND's DNS64, reads zones with right and wrong DNSSEC signatures through
unbound, and compares forecasts of renewals with what certbot and Pebble do. It is not part of npm test, because it installs packages.

  npm run test:interop                      all of them
  npm run test:interop -- postfix certbot   some
  npm run test:interop -- --logs postfix    shows what the server logged about a check`);

const options = process.argv.slice(2);
const withLogs = options.includes('--logs');
const wanted = options.filter((option) => option !== '--logs');
const names = [...SERVERS, BIND, DNSSEC, CERTBOT, FORECAST].map(({ name }) => name);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`No such server: ${unknown.join(', ')}. Choose from: ${names.join(', ')}.\n`);
  process.exit(2);
}

const isWanted = ({ name }: { name: string }): boolean => wanted.length === 0 || wanted.includes(name);
const servers = SERVERS.filter(isWanted);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
// Use a folder outside the project, because some servers run as other users and must be able to read their files.
const folder = mkdtempSync(join(tmpdir(), 'certlantern-interop-'));
const outcomes: Outcome[] = [];
try {
  const packages = [...servers, BIND, DNSSEC, CERTBOT, FORECAST]
    .filter(isWanted)
    .flatMap((one) => one.packages);
  installPackages([
    ...packages,
    ...FAIL2BAN,
    ...librariesOf(servers.flatMap(({ unpacked = [] }) => unpacked)),
  ]);
  for (const server of servers) {
    if (stop.signal.aborted) break;
    process.stderr.write(`Checking ${server.name} …\n`);
    outcomes.push(...(await checkServer(server, folder, stop.signal)));
  }
  if (isWanted(BIND) && !stop.signal.aborted) outcomes.push(await checkBind(folder));
  if (isWanted(DNSSEC) && !stop.signal.aborted) outcomes.push(await checkDnssec(folder));
  if (isWanted(CERTBOT) && !stop.signal.aborted) outcomes.push(await checkCertbot(folder));
  if (isWanted(FORECAST) && !stop.signal.aborted) outcomes.push(await checkForecast(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(formatOutcomes(outcomes, withLogs));
process.exit(stop.signal.aborted || outcomes.some(({ fault }) => fault !== null) ? 1 : 0);
