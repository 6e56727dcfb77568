import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { mintAuthority, selfSigned } from '../kit/certificates/mint.ts';
import { freePort, startApp } from '../kit/product/app.ts';
import { sendTo, signUp } from '../kit/product/people.ts';
import { type SinkMail, startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { prepareFiles, startDaemon } from '../kit/machine/daemon.ts';
import type { Outcome } from './check-server.ts';

const run = promisify(execFile);
const HOST = 'shop.acme.example';
/** The addresses of the host, each with an nginx of its own. */
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
const MAIL_TIMEOUT_MS = 3 * MINUTE_MS;

export const CERTBOT = { name: 'certbot', packages: ['certbot', 'pebble', 'nginx-light', 'curl', 'jq'] };

/**
 * Renews a certificate with certbot and the ACME server Pebble. The deploy hook reloads nginx on two of three addresses, and
 * makes the call that docs/guides/watch-hosts.md recommends. Expects an alert that names the third address, and a second mail
 * after the third nginx was reloaded.
 */
export async function checkCertbot(parent: string): Promise<Outcome> {
  const stops: (() => Promise<unknown>)[] = [];
  const outcome = { server: CERTBOT.name, endpoint: null, seen: '' };
  try {
    const seen = await renew(join(parent, CERTBOT.name), stops);
    return { ...outcome, seen, fault: null };
  } catch (error) {
    return { ...outcome, fault: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Returns the fingerprint of the certificate that an address serves. */
async function servedAt(address: string, port: number): Promise<string> {
  const socket = connect({ host: address, port, servername: HOST, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

async function renew(folder: string, stops: (() => Promise<unknown>)[]): Promise<string> {
  const before = mintAuthority({ commonName: 'Former Root' });
  const old = before.issue({
    dnsNames: [HOST],
    notBefore: new Date(Date.now() - 60 * DAY_MS),
    notAfter: new Date(Date.now() + 30 * DAY_MS),
  });
  const files = prepareFiles(folder, old, before.certificatePem);
  const dns = await startDnsServer({ [HOST]: { addresses: ADDRESSES } });
  stops.push(() => dns.stop());
  const [acme, management, http, https] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];

  const localhost = selfSigned({ dnsNames: ['localhost'] });
  const pebble = {
    listenAddress: `127.0.0.1:${acme}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: files.write('pebble.pem', localhost.certificatePem),
    privateKey: files.write('pebble.key', localhost.keyPem),
    httpPort: http,
    tlsPort: https,
  };
  const config = files.write('pebble.json', JSON.stringify({ pebble }));
  const server = await startDaemon(['pebble', '-config', config, '-dnsserver', dns.address], {
    cwd: folder,
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    listensOn: [{ address: '127.0.0.1', port: acme }],
  });
  stops.push(() => server.stop());
  const { stdout: acmeRoot } = await run('curl', ['-sk', `https://127.0.0.1:${management}/roots/0`]);

  const reloads: string[] = [];
  for (const address of ADDRESSES) {
    const own = join(folder, address);
    mkdirSync(own);
    const path = join(own, 'nginx.conf');
    writeFileSync(
      path,
      `pid ${own}/pid; error_log ${own}/error.log; daemon off; events {}
http { access_log off; client_body_temp_path ${own}/1; proxy_temp_path ${own}/2; fastcgi_temp_path ${own}/3;
  uwsgi_temp_path ${own}/4; scgi_temp_path ${own}/5;
  server { listen ${address}:${https} ssl; ssl_certificate ${files.certificateFile}; ssl_certificate_key ${files.keyFile};
    return 204; } }\n`,
    );
    reloads.push(`nginx -c ${path} -s reload`);
    const nginx = await startDaemon(['nginx', '-c', path], {
      cwd: own,
      listensOn: [{ address, port: https }],
    });
    stops.push(() => nginx.stop());
  }

  const mail = await startSmtpSink();
  stops.push(() => mail.stop());
  const app = await startApp({
    DATA_DIR: join(folder, 'data'),
    BILLING: 'none',
    SMTP_URL: mail.url,
    DNS_SERVERS: dns.address,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    EXTRA_CA_FILE: files.write('roots.pem', before.certificatePem + acmeRoot),
  });
  stops.push(() => app.stop());
  const person = await signUp(sendTo(app.url), { name: 'Ada' });
  const { id } = (await person.ask(CALLS.addDomain, { body: { host: `${HOST}:${https}` } })).ok.data;
  const { secret } = (
    await person.ask(CALLS.makeToken, { body: { name: 'certbot', scopes: ['write'], expires_in_days: 1 } })
  ).ok.data;

  // The call that watch-hosts.md recommends. Sets `by` in addition, so that the test need not wait for an hour.
  const hooks = join(folder, 'etc', 'renewal-hooks', 'deploy');
  mkdirSync(hooks, { recursive: true });
  const hook = join(hooks, 'expect');
  writeFileSync(
    hook,
    `#!/bin/sh -e
cat "$RENEWED_LINEAGE/fullchain.pem" > ${files.certificateFile}
cat "$RENEWED_LINEAGE/privkey.pem" > ${files.keyFile}
${reloads.slice(0, -1).join('\n')}
curl --fail --silent --show-error "$CERTLANTERN_URL/api/certificate/expect" \\
  --header "Authorization: Bearer $CERTLANTERN_TOKEN" \\
  --json "$(jq --null-input --rawfile pem "$RENEWED_LINEAGE/fullchain.pem" --arg by "$BY" '{$pem, $by}')"
`,
  );
  chmodSync(hook, 0o755);
  const certbot = (...words: string[]) =>
    run(
      'certbot',
      [
        ...words,
        '--config-dir',
        join(folder, 'etc'),
        '--work-dir',
        join(folder, 'work'),
        '--logs-dir',
        join(folder, 'logs'),
        '--server',
        `https://127.0.0.1:${acme}/dir`,
        '--no-verify-ssl',
        '--non-interactive',
      ],
      {
        env: {
          ...process.env,
          CERTLANTERN_URL: app.url,
          CERTLANTERN_TOKEN: secret,
          BY: new Date(Date.now() + MINUTE_MS / 2).toISOString(),
        },
      },
    );
  await certbot(
    'certonly',
    '--standalone',
    '--http-01-port',
    String(http),
    '--http-01-address',
    '0.0.0.0',
    '--domain',
    HOST,
    '--agree-tos',
    '--register-unsafely-without-email',
  );
  await certbot('renew', '--force-renewal', '--no-random-sleep-on-renew');

  const about = (subject: RegExp) => (sent: SinkMail) => subject.test(sent.subject);
  const missing = await mail.waitFor(about(/old certificate/i), MAIL_TIMEOUT_MS);
  const [left = ''] = ADDRESSES.slice(-1);
  if (!missing.text.includes(left)) throw new Error(`The mail does not name ${left}: ${missing.text}`);
  if (ADDRESSES.slice(0, -1).some((address) => missing.text.includes(address)))
    throw new Error(`The mail names an address that was reloaded: ${missing.text}`);
  await run('sh', ['-c', reloads.at(-1) ?? '']);
  // After a reload, nginx serves the old certificate for a moment.
  const until = performance.now() + MAIL_TIMEOUT_MS;
  while ((await servedAt(left, https)) !== (await servedAt(ADDRESSES[0] ?? '', https))) {
    if (performance.now() > until) throw new Error(`${left} does not serve the renewed certificate.`);
    await delay(100);
  }
  void (await person.ask(CALLS.actOnDomains, { body: { action: 'check', ids: [id] } })).ok;
  const done = await mail.waitFor(
    (sent) => sent !== missing && /renew|serve/i.test(sent.subject),
    MAIL_TIMEOUT_MS,
  );
  return `${missing.subject} · ${done.subject}`;
}
