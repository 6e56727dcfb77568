// Says whether the next renewal of a host's certificate will work, without server or account. Usage: npm run forecast -- HOST…
import { displayName } from '../../server/core/endpoint.ts';
import { createSemaphore } from '../../server/egress/with-timeout.ts';
import { createForecastSource } from '../../server/probe/forecast/forecast-source.ts';
import { readArguments, UsageError } from './arguments.ts';
import { createChecker, readOwnConfig, reportArguments, runCommand } from './create-checker.ts';
import { printableJson } from './printable.ts';
import { showProgress } from './progress.ts';
import { forecastExitCode, forecastHost, forecastJson, forecastText } from './forecast-host.ts';

const CONCURRENCY = 16;

const HELP = `certlantern forecast HOST…      (npm run forecast -- HOST…)

Says whether the next renewal of the certificate of each HOST will work, and if not, why and what to do. Asks DNS about each
name in the certificate (CAA, DNSSEC, addresses, challenge records), the CA about the renewal window, the registry about the
registration, and port 80 of HOST for an ACME challenge, as CAs do. Stores nothing.

HOST    example.com, example.com:8443, [2001:db8::1]:443, or with a scheme: smtp://mail.example.com

These options apply to every HOST:

  --connect-to WHERE   reads the certificate at this address or name instead of HOST: 10.0.0.7, [2001:db8::1]:8443
  --server-name NAME   sends this server name (SNI) instead of HOST; "none" sends none
  --verify-name NAME   the certificate must be valid for this name or IP address instead of HOST
  --family 4|6         reads the certificate at IPv4 or IPv6 addresses only

  --json        one JSON document: an array with a forecast for each HOST, with the names that the API uses
  --ca FILE     also makes forecasts for certificates of the CAs in FILE (PEM, DER or PKCS#7); may be repeated. Without it, only
                certificates of public CAs get a forecast
  --help        this text

DNS_SERVERS names the resolvers, such as 127.0.0.1:53. By default the command asks those of the system. Only a validating resolver
in DNS_SERVERS or on this machine can show that DNSSEC protects a zone.

The exit code shows the worst result:
   0   every renewal will work
   1   it cannot be known whether a renewal will work
   2   a renewal will fail
   3   a host could not be reached, or its certificate is from a private CA
  64   the command line is not valid
 130   stopped by Ctrl-C
`;

async function main(): Promise<number> {
  const own = readOwnConfig();
  const words = process.argv.slice(2);
  const { help, format, endpoints, refused, repeated, ownAuthorities } = readArguments(
    words,
    own.policy,
    own.folder,
  );
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (format === 'markdown') throw new UsageError('There is no --markdown for forecasts.');
  reportArguments({ refused, repeated });
  const checker = createChecker(own, ownAuthorities);
  const source = createForecastSource({ ...checker, policy: own.policy, reach: 'public' });
  const { signal } = new AbortController();
  const progress = showProgress(endpoints.map(displayName), process.stderr);
  const limited = createSemaphore(CONCURRENCY);
  const forecasts = await Promise.all(
    endpoints.map((endpoint) =>
      limited(async () => {
        const onSlow = (): void => progress.slow(displayName(endpoint), endpoint.protocol);
        const hasOwnCa = ownAuthorities.length > 0;
        const result = await forecastHost(endpoint, { ...checker, source, hasOwnCa, signal, onSlow });
        progress.done(result.host);
        return result;
      }),
    ),
  );
  progress.clear();
  const coloured = process.stdout.isTTY && process.stdout.hasColors();
  process.stdout.write(
    format === 'json'
      ? `${printableJson(forecasts.map(forecastJson))}\n`
      : forecasts.map((one) => `${forecastText(one, coloured)}\n`).join(''),
  );
  checker.sources.close();
  return refused.length > 0 ? 3 : forecastExitCode(forecasts);
}

await runCommand('forecast', main);
