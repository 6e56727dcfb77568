import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeForecast } from '../../server/core/forecast/make-forecast.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createForecastSource } from '../../server/probe/forecast/forecast-source.ts';
import { selfSigned } from '../kit/certificates/mint.ts';
import { prepareFiles, startDaemon } from '../kit/machine/daemon.ts';
import { BIND_PACKAGES, type BindZone, startBind } from '../kit/peers/bind.ts';
import { startUnbound, UNBOUND_PACKAGES } from '../kit/peers/unbound.ts';
import { freePort } from '../kit/product/app.ts';
import { healthySite } from '../kit/product/renewal-site.ts';
import type { Outcome } from './check-server.ts';

const run = promisify(execFile);

export const FORECAST = {
  name: 'forecast',
  packages: ['certbot', 'pebble', 'nginx-light', ...BIND_PACKAGES, ...UNBOUND_PACKAGES],
};

const WEB = '127.0.0.2';
/** An address without a server. */
const NOBODY = '127.0.0.3';

interface Site {
  zone: BindZone;
  /** Locations of its nginx server. `WEBROOT` stands for certbot's folder, `HTTPS` for the port. */
  nginx: string;
  /** Names of the certificate. Default: that of the zone. */
  names?: string[];
  /** The outcome that the forecast must have. certbot must fail if, and only if, the outcome is `fails`. */
  outcome: 'works' | 'fails';
}

const address = (name: string, more = ''): BindZone => ({ name, records: `@ A ${WEB}\n${more}` });
const SERVED = 'location / { root WEBROOT; }';
const SITES: readonly Site[] = [
  { zone: address('good.com'), nginx: SERVED, outcome: 'works' },
  { zone: { ...address('signed.com'), signatures: 'valid' }, nginx: SERVED, outcome: 'works' },
  {
    zone: address('redirect.com'),
    nginx: 'location / { return 301 https://$host:HTTPS$request_uri; }',
    outcome: 'works',
  },
  {
    zone: address('password.com'),
    nginx:
      'auth_basic "Staff"; auth_basic_user_file /dev/null; location /.well-known/ { auth_basic off; root WEBROOT; }',
    outcome: 'works',
  },
  {
    zone: address('loop.com'),
    nginx: 'location / { return 302 http://$http_host$request_uri; }',
    outcome: 'fails',
  },
  {
    zone: address('mail.com'),
    nginx: 'location / { return 302 mailto:web@mail.com; }',
    outcome: 'fails',
  },
  { zone: { ...address('expired.com'), signatures: 'expired' }, nginx: SERVED, outcome: 'fails' },
  { zone: { ...address('unsigned.com'), signatures: 'missing' }, nginx: SERVED, outcome: 'fails' },
  { zone: { name: 'closed.com', records: `@ A ${NOBODY}` }, nginx: SERVED, outcome: 'fails' },
  {
    zone: address('partly.com'),
    nginx: SERVED,
    names: ['partly.com', 'shop.partly.com'],
    outcome: 'fails',
  },
];

/**
 * Makes forecasts for nginx sites with zones in BIND, read through unbound, and then orders each certificate from Pebble with certbot and http-01.
 * Expects certbot to fail exactly where the forecast says “fails”.
 */
export async function checkForecast(parent: string): Promise<Outcome> {
  const stops: (() => Promise<unknown>)[] = [];
  const outcome = { server: FORECAST.name, endpoint: null, seen: '' };
  try {
    const seen = await compare(join(parent, FORECAST.name), stops);
    return { ...outcome, seen, fault: null };
  } catch (error) {
    return { ...outcome, fault: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

async function compare(folder: string, stops: (() => Promise<unknown>)[]): Promise<string> {
  const ports = { http: await freePort(), https: await freePort() };
  const [acme, management] = [await freePort(), await freePort()];
  const certificate = selfSigned({ dnsNames: ['localhost'] });
  const files = prepareFiles(folder, { ...certificate, chainPem: '' }, certificate.certificatePem);
  const bind = await startBind(
    files.makeFolder('bind'),
    SITES.map(({ zone }) => zone),
  );
  stops.push(() => bind.stop());
  const unbound = await startUnbound(files.makeFolder('unbound'), bind);
  stops.push(() => unbound.stop());
  const pebble = {
    listenAddress: `127.0.0.1:${acme}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: files.certificateFile,
    privateKey: files.keyFile,
    httpPort: ports.http,
    tlsPort: ports.https,
  };
  const config = files.write('pebble.json', JSON.stringify({ pebble }));
  const server = await startDaemon(['pebble', '-config', config, '-dnsserver', unbound.address], {
    cwd: folder,
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    listensOn: [{ address: '127.0.0.1', port: acme }],
  });
  stops.push(() => server.stop());
  const webroot = files.makeFolder('webroot');
  const nginx = await startDaemon(
    ['nginx', '-c', files.write('nginx.conf', nginxConfig(files, ports, webroot))],
    {
      cwd: folder,
      listensOn: [
        { address: WEB, port: ports.http },
        { address: WEB, port: ports.https },
      ],
    },
  );
  stops.push(() => nginx.stop());

  const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
  const source = createForecastSource({
    reader: createDnsReader({ servers: [unbound.address], now: Date.now }),
    resolver: createResolver({ servers: [unbound.address], policy }),
    policy,
    reach: 'all',
    ports,
  });
  for (const { zone, names = [zone.name], outcome } of SITES) {
    const { context } = healthySite(zone.name, { renewals: [['http-01']] });
    const now = context.now;
    const evidence = await source.gather({
      names,
      watchedHosts: names,
      now,
      signal: new AbortController().signal,
    });
    const made = makeForecast(evidence, { ...context, certificate: { ...context.certificate, sans: names } });
    const said = `${zone.name}: the forecast is “${made.outcome}”`;
    if (made.outcome !== outcome) throw new Error(`${said}: ${JSON.stringify(made.checks)}`);
    const refusal = await order(names, { folder, acme, webroot });
    if ((refusal !== null) !== (outcome === 'fails'))
      throw new Error(`${said}, and certbot said: ${refusal ?? 'issued'}`);
  }
  return `${SITES.length} forecasts as certbot and Pebble`;
}

function nginxConfig(
  { folder, certificateFile, keyFile }: { folder: string; certificateFile: string; keyFile: string },
  ports: { http: number; https: number },
  webroot: string,
): string {
  const servers = SITES.flatMap(({ zone, nginx }) => {
    const locations = nginx.replaceAll('WEBROOT', webroot).replaceAll('HTTPS', String(ports.https));
    return `server { listen ${WEB}:${ports.http}; server_name ${zone.name} *.${zone.name}; ${locations} }`;
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  // The folder is readable for its owner only.
  return `user root; pid ${folder}/nginx.pid; error_log ${folder}/error.log; daemon off; events {}
http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${servers.join('\n  ')}
  server { listen ${WEB}:${ports.https} ssl; ssl_certificate ${certificateFile}; ssl_certificate_key ${keyFile};
    location / { root ${webroot}; } } }
`;
}

/** Orders a certificate with certbot. Returns null if it was issued, else what certbot says. */
async function order(
  names: readonly string[],
  { folder, acme, webroot }: { folder: string; acme: number; webroot: string },
): Promise<string | null> {
  const own = ['etc', 'work', 'logs'].map((name) => join(folder, `certbot-${name}`));
  for (const path of own) mkdirSync(path, { recursive: true });
  const [etc = '', work = '', logs = ''] = own;
  const words = ['certonly', '--webroot', '--webroot-path', webroot, '--force-renewal', '--agree-tos'];
  const folders = ['--config-dir', etc, '--work-dir', work, '--logs-dir', logs];
  const server = ['--server', `https://127.0.0.1:${acme}/dir`, '--no-verify-ssl', '--non-interactive'];
  const domains = names.flatMap((name) => ['--domain', name]);
  try {
    await run('certbot', [...words, ...folders, ...server, ...domains, '--register-unsafely-without-email']);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(-1_000) : String(error);
  }
}
