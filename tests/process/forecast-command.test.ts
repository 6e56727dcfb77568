import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { startTlsServer, type TlsPeer } from '../kit/peers/tls-server.ts';
import { runScript } from '../kit/product/run-script.ts';

const HOST = 'shop.acme-example.com';
const root = mintAuthority({ commonName: 'ISRG Root X9', organization: 'Internet Security Research Group' });
const issuer = root.intermediate({ commonName: 'E9', organization: "Let's Encrypt" });
const leaf = issuer.issue({ dnsNames: [HOST] });

let folder: string;
let dns: DnsServer;
let peer: TlsPeer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'certlantern-forecast-'));
  writeFileSync(join(folder, 'root.pem'), root.certificatePem);
  dns = await startDnsServer({ 'acme-example.com': { addresses: [] } });
  peer = await startTlsServer({ '*': leaf }, { serve: (_request, response) => response.end() });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([dns.stop(), peer.stop()]);
});

/** Runs the command for a host whose CAA record names this CA. */
function forecast(ca: string, ...words: string[]) {
  dns.entries.set(HOST, { addresses: ['127.0.0.1'], caa: [{ tag: 'issue', value: ca }] });
  const env = { INIT_CWD: folder, DNS_SERVERS: dns.address };
  const at = `127.0.0.1:${peer.port}`;
  return runScript('scripts/check/forecast.ts', env, `https://${HOST}`, '--connect-to', at, ...words);
}

describe('certlantern forecast', () => {
  it('says that the next renewal fails, why and which record to write, and exits with 2', async () => {
    const { code, stdout, stderr } = await forecast('digicert.com', '--ca', 'root.pem');
    expect(stdout).toMatch(/^shop\.acme-example\.com.*  Next renewal will fail: CAA forbids Let's Encrypt\n/);
    expect(stdout).toContain('digicert.com');
    expect(stdout).toMatch(/Record: .*CAA 0 issue "letsencrypt\.org"/);
    expect(stderr).toMatch(/^1 of 1 checked/);
    expect(code).toBe(2);
  });

  it('prints JSON with the names of the API', async () => {
    const { code, stdout } = await forecast('letsencrypt.org', '--ca', 'root.pem', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      {
        hostname: HOST,
        failure: null,
        certificate: { sans: [HOST] },
        forecast: {
          outcome: expect.stringMatching(/^(works|not_known)$/),
          checks: expect.arrayContaining([expect.objectContaining({ code: 'caa', state: 'passes' })]),
        },
      },
    ]);
    expect(code).toBeLessThan(2);
  });

  it('makes no forecast for a certificate of a private CA, and exits with 3', async () => {
    const { code, stdout } = await forecast('letsencrypt.org');
    expect(stdout).toMatch(/no forecast: the certificate is not from a public CA/);
    expect(code).toBe(3);
  });

  it('prints its help, and refuses options that it does not have', async () => {
    const help = await runScript('scripts/check/forecast.ts', {}, '--help');
    expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^certlantern forecast HOST/) });
    const refused = await runScript('scripts/check/forecast.ts', {}, HOST, '--markdown');
    expect(refused).toMatchObject({ code: 64, stdout: '' });
  });
});
