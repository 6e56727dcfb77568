import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readCertificateFile } from '../../server/certificate-file.ts';
import { loadTrustStore } from '../../server/probe/examiner.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';

const fingerprint = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

describe('The trust store', () => {
  it('is exactly the bundled Mozilla set', () => {
    const store = loadTrustStore(null);
    expect(store.anchors.map(({ certificate }) => certificate.fingerprint).toSorted()).toEqual(
      rootCertificates.map(fingerprint).toSorted(),
    );
  });

  it('includes the operator’s own anchors, which changes its hash', () => {
    const own = [mintAuthority(), mintAuthority()];
    const store = loadTrustStore(own.map(({ certificatePem }) => certificatePem).join('\n'));
    expect(store.anchors).toHaveLength(rootCertificates.length + 2);
    expect(own.every((authority) => store.has(authority.fingerprint))).toBe(true);
    expect(store.hash).not.toBe(loadTrustStore(null).hash);
  });

  it('is not loaded from incomplete PEM', () => {
    expect(() => loadTrustStore('-----BEGIN CERTIFICATE-----\nAAAA')).toThrow('PEM');
  });

  it('includes every CA certificate of a file, in each form that OpenSSL and iconv write', () => {
    const folder = mkdtempSync(join(tmpdir(), 'certlantern-anchors-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const run = (program: string, ...args: string[]) =>
      execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const [one, two] = [mintAuthority(), mintAuthority()];
    const signer = one.issue({ commonName: 'signer' });
    const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
    write('one.pem', one.certificatePem);
    write('both.pem', one.certificatePem + two.certificatePem);
    write('signer.pem', signer.certificatePem);
    write('signer.key', signer.keyPem);
    write('text', 'hello');
    const openssl = (line: string) => run('openssl', ...line.split(' '));
    openssl('x509 -in one.pem -outform DER -out one.der');
    openssl('x509 -in one.pem -trustout -addtrust serverAuth -setalias Ours -out one.trusted.pem');
    openssl('x509 -in one.pem -trustout -addtrust serverAuth -outform DER -out one.trusted.der');
    openssl('crl2pkcs7 -nocrl -certfile both.pem -out both.p7b.pem');
    openssl('crl2pkcs7 -nocrl -certfile both.pem -outform DER -out both.p7b');
    // With `-stream`, OpenSSL writes indefinite lengths.
    openssl(
      'cms -sign -in text -signer signer.pem -inkey signer.key -nocerts -certfile both.pem -nodetach -stream -outform DER -out stream.p7',
    );
    openssl(
      'cms -sign -in text -signer signer.pem -inkey signer.key -nocerts -certfile both.pem -outform PEM -out both.cms.pem',
    );
    for (const to of ['UTF-16', 'UTF-16LE', 'UTF-16BE'])
      writeFileSync(join(folder, `one.${to}`), run('iconv', '-f', 'UTF-8', '-t', to, 'one.pem'));

    const found = (name: string) => {
      const read = readCertificateFile(join(folder, name));
      if (!read.ok) return read.message;
      const store = loadTrustStore(read.pem);
      return [one, two].filter(({ fingerprint: each }) => store.has(each)).length;
    };
    for (const name of [
      'one.der',
      'one.trusted.pem',
      'one.trusted.der',
      'one.UTF-16',
      'one.UTF-16LE',
      'one.UTF-16BE',
    ])
      expect([name, found(name)]).toEqual([name, 1]);
    for (const name of ['both.pem', 'both.p7b.pem', 'both.p7b', 'stream.p7', 'both.cms.pem'])
      expect([name, found(name)]).toEqual([name, 2]);

    openssl('pkcs12 -export -in signer.pem -inkey signer.key -passout pass:x -out signer.p12');
    openssl('pkey -in signer.key -outform DER -out signer.key.der');
    openssl('req -new -key signer.key -subj /CN=a -out request.pem');
    openssl('req -in request.pem -outform DER -out request.der');
    writeFileSync(join(folder, 'joined.der'), Buffer.concat([one.der, two.der]));
    write('junk.pem', '-----BEGIN CERTIFICATE-----\nMAMCAQA=\n-----END CERTIFICATE-----\n');
    write('chain.pem', signer.certificatePem + one.certificatePem);
    expect(found('chain.pem')).toBe(1);
    for (const [name, reason] of [
      ['signer.p12', 'PKCS#12'],
      ['signer.key.der', 'private key'],
      ['signer.key', 'private key'],
      ['request.pem', 'a request for a certificate'],
      ['request.der', 'request.der: This is a request for a certificate'],
      ['joined.der', 'joined.der: This file has several certificates in DER form'],
      ['junk.pem', 'junk.pem: A certificate in this file cannot be read ('],
      ['signer.pem', 'signer.pem: The certificate of signer is not a certificate authority. Add the'],
      ['text', 'no certificate in this text'],
      ['missing', 'cannot be read (ENOENT)'],
    ] as const)
      expect(found(name)).toContain(reason);
  });
});
