import { deepEqual, equal, ok } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { type Person, sendTo, signUp } from '../kit/product/people.ts';
import { startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { step } from './steps.ts';

const NAME = 'shop.example';
const AUTHORITY_FILE = '/etc/ssl/test-authority.pem';

/** A monitored TLS server, its DNS server and a mail server, all on loopback. */
export interface Peers {
  /** `host:port` of the TLS server. */
  host: string;
  /** SHA-256 of the TLS server's certificate, which expires in 2.5 days. */
  fingerprint: string;
  /** Variables with which the image reaches these peers. */
  env: Record<string, string>;
  /** Files for the container, as in `ContainerOptions`. */
  files: Record<string, string>;
  /** Resolves with the first mail to this address that matches, whether it has arrived already or arrives later. */
  mailTo: (email: string, pattern: RegExp) => Promise<{ subject: string; text: string }>;
  /** Replaces the certificate of the TLS server with one that expires in 20.5 hours. Returns its fingerprint. */
  replaceCertificate(): string;
}

/** Starts the peers; they end with this process. */
export async function startPeers(folder: string): Promise<Peers> {
  const root = mintAuthority();
  const issue = (lifeMs: number): MintedCertificate => {
    const notAfter = Date.now() + lifeMs;
    return root.issue({ dnsNames: [NAME], notBefore: notAfter - 90 * DAY_MS, notAfter });
  };
  const leaf = issue(2.5 * DAY_MS);
  const [dns, mails, server] = await Promise.all([
    startDnsServer({ [NAME]: { addresses: ['127.0.0.1'] } }),
    startSmtpSink(),
    startTlsServer({ '*': leaf }),
  ]);
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, root.certificatePem);
  return {
    host: `${NAME}:${server.port}`,
    fingerprint: leaf.fingerprint,
    env: {
      SMTP_URL: mails.url,
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      DNS_SERVERS: dns.address,
      EXTRA_CA_FILE: AUTHORITY_FILE,
    },
    files: { [authorityFile]: AUTHORITY_FILE },
    mailTo: (email, pattern) =>
      mails.waitFor(
        ({ to, subject, text }) => to.includes(email) && pattern.test(`${subject}\n${text}`),
        30_000,
      ),
    replaceCertificate() {
      const next = issue(20.5 * HOUR_MS);
      server.setCertificate('*', next);
      return next.fingerprint;
    },
  };
}

/** A person with one domain. */
export interface Owner extends Person {
  domainId: string;
}

/** Signs up, verifies the address, adds a domain and waits for its alert. Each of these is a step of the test. */
export async function arrive(url: string, peers: Peers): Promise<Owner> {
  const person = await step('Sign a person up', () => signUp(sendTo(url), { name: 'Alice' }));
  await step('Verify the address with the link of the mail', async () => {
    const { text } = await peers.mailTo(person.email, /\/verify#/);
    const [, origin = '', token = ''] = /(http\S+)\/verify#(\S+)/.exec(text) ?? [];
    equal(origin, url, 'origin of the link');
    equal((await person.ask(CALLS.verifyEmail, { body: { token } })).status, 200, 'status');
  });
  const domain = await step('Check the certificate of a TLS server', async () => {
    const { data } = (await person.ask(CALLS.addDomain, { body: { host: peers.host } })).ok;
    deepEqual(
      { fingerprint: data.fingerprint, isTrusted: data.trusted, unreachable: data.unreachable },
      { fingerprint: peers.fingerprint, isTrusted: true, unreachable: null },
      'result of the first check',
    );
    return data;
  });
  await step('Receive a mail that says when the certificate expires', () =>
    peers.mailTo(person.email, new RegExp(`^${NAME}\\S* expires in 2 days`)),
  );
  return { ...person, domainId: domain.id };
}

/** Verifies after a restart that nothing is lost and that the product goes on working. Each check is a step of the test. */
export async function comeBack(owner: Owner, peers: Peers): Promise<void> {
  const params = { id: owner.domainId };
  await step('Find session, domain and history as they were', async () => {
    equal((await owner.ask(CALLS.currentUser)).ok.data?.email, owner.email);
    const { data: domains } = (await owner.ask(CALLS.listDomains)).ok;
    deepEqual(
      domains.map(({ id, fingerprint }) => ({ id, fingerprint })),
      [{ id: owner.domainId, fingerprint: peers.fingerprint }],
      'domains',
    );
    const { data: history } = (await owner.ask(CALLS.domainHistory, { params })).ok;
    deepEqual(
      history.map(({ fingerprint }) => fingerprint),
      [peers.fingerprint],
      'history',
    );
    const { checks } = (await owner.ask(CALLS.domainUptime, { params })).ok.data;
    ok(checks.length > 0, 'The check of before the restart is missing.');
  });
  await step('Check again and receive a mail about a new certificate', async () => {
    const fingerprint = peers.replaceCertificate();
    equal((await owner.ask(CALLS.checkDomain, { params })).status, 202, 'status');
    await peers.mailTo(owner.email, new RegExp(`^${NAME}\\S* expires in 20 hours`));
    equal((await owner.ask(CALLS.domain, { params })).ok.data.fingerprint, fingerprint, 'fingerprint');
  });
}
