#!/bin/sh
# Guess:    Chromium counts a certificate timestamp (SCT) of a log that its list has and whose signature is right. Its policy
#           names no other condition.
# Happens:  if the list calls the log static (static-ct-api), Chromium also wants the leaf index among the extensions of the SCT. The same SCT
#           without it counts if the list calls the log one of RFC 6962. The error is that of too few SCTs.
# Seen:     Chromium 156.0.8078.114 of Debian 12, with a root and a list of logs of its own: its component "PKI Metadata".
# Matters:  an SCT that a library calls valid may not count. Who verifies signatures only calls a certificate fine that Chrome refuses.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
command -v chromium >/dev/null || apt-get install -y -qq chromium >/dev/null
chromium --version --no-sandbox 2>/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @peculiar/x509@2.2.0 reflect-metadata@0.2.2 playwright-core@1.58.0
cat >show.mjs <<'END'
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createHash, createPrivateKey, generateKeyPairSync, KeyObject, sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import * as x509 from '@peculiar/x509';
import { chromium } from 'playwright-core';

const DAY = 86_400_000;
const now = Date.now();
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const spki = (key) => key.export({ type: 'spki', format: 'der' });
const number = (value, bytes) => Buffer.from(BigInt(value).toString(16).padStart(bytes * 2, '0'), 'hex');
const vector = (bytes, size = 2) => Buffer.concat([number(bytes.length, size), bytes]);

/** Returns where the content of a DER element begins and ends. */
function extent(der) {
  const more = der[1] & 0x80 ? der[1] & 0x7f : 0;
  const length = more === 0 ? der[1] : Number(`0x${der.subarray(2, 2 + more).toString('hex')}`);
  return [2 + more, 2 + more + length];
}
const content = (der) => der.subarray(...extent(der));
const elements = (der) => {
  const [, end] = extent(der);
  return [der.subarray(0, end), ...(end < der.length ? elements(der.subarray(end)) : [])];
};
const octetString = (bytes) => Buffer.concat([Buffer.from([4, 0x81]), vector(bytes, 1)]);

const rootKeys = await newKeys();
const root = await x509.X509CertificateGenerator.createSelfSigned({
  name: 'CN=Root',
  keys: rootKeys,
  signingAlgorithm: algorithm,
  notBefore: new Date(now - 900 * DAY),
  notAfter: new Date(now + 900 * DAY),
  extensions: [new x509.BasicConstraintsExtension(true, undefined, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)],
});

const log = (operator, type) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { operator, type, privateKey, spki: spki(publicKey), id: sha256(spki(publicKey)) };
};
const RFC6962 = 1;
const STATIC = 2;
const logs = [log('One', RFC6962), log('Two', RFC6962), log('Three', STATIC)];
const INDEX = Buffer.concat([Buffer.from([0]), vector(number(7, 5))]);

/** Returns a certificate with SCTs of two logs, the second one with these extensions. */
async function certificate(second, extensions) {
  const keys = await newKeys();
  const at = now - 10 * DAY;
  const fields = {
    serialNumber: createHash('sha256').update(second.id).update(extensions).digest('hex').slice(0, 14),
    subject: 'CN=site',
    issuer: root.subject,
    notBefore: new Date(at),
    notAfter: new Date(now + 60 * DAY),
    publicKey: keys.publicKey,
    signingKey: rootKeys.privateKey,
    signingAlgorithm: algorithm,
  };
  const base = [
    new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'site.example.com' }]),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
  ];
  const issue = (extra) => x509.X509CertificateGenerator.create({ ...fields, extensions: [...base, ...extra] });
  // A certificate is a SEQUENCE, whose first element is what the issuer and the logs sign.
  const [signed] = elements(content(Buffer.from((await issue([])).rawData)));
  const issuerHash = sha256(Buffer.from(await crypto.subtle.exportKey('spki', rootKeys.publicKey)));
  const entry = Buffer.concat([number(1, 2), issuerHash, vector(signed, 3)]);
  const stamps = [[logs[0], Buffer.alloc(0)], [second, extensions]].map(([{ id, privateKey }, own]) => {
    const data = Buffer.concat([number(0, 2), number(at, 8), entry, vector(own)]);
    const signature = sign('sha256', data, privateKey);
    return vector(Buffer.concat([number(0, 1), id, number(at, 8), vector(own), Buffer.from([4, 3]), vector(signature)]));
  });
  const list = vector(Buffer.concat(stamps));
  const final = await issue([new x509.Extension('1.3.6.1.4.1.11129.2.4.2', false, octetString(list))]);
  return { cert: final.toString('pem'), key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }) };
}

// The component as protocol buffers: root_store.proto and certificate_transparency_config.proto of Chromium.
const varint = (value) => (value < 128 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value % 128) | 128]), varint(Math.floor(value / 128))]));
const count = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, ...parts) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
};
const seconds = (at) => count(1, Math.floor(at / 1000));
const VERSION = 999_999;
const component = `profile/PKIMetadata/${VERSION}`;
mkdirSync(component, { recursive: true });
writeFileSync(`${component}/manifest.json`, JSON.stringify({ manifest_version: 2, name: 'pki', version: `${VERSION}` }));
writeFileSync(`${component}/crs.pb`, Buffer.concat([bytes(1, bytes(1, Buffer.from(root.rawData))), count(2, VERSION)]));
const entries = logs.map(({ operator, type, spki: key, id }) =>
  bytes(6, bytes(2, key.toString('base64')), bytes(3, id.toString('base64')), bytes(8, count(1, 3)), bytes(9, bytes(1, operator)), count(18, type)),
);
writeFileSync(`${component}/ct_config.pb`, bytes(2, bytes(3, seconds(now)), ...entries));

const browser = await chromium.launchPersistentContext('profile', {
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-features=CertificateTransparencyAskBeforeEnabling', '--host-resolver-rules=MAP * 127.0.0.1'],
  ignoreDefaultArgs: ['--disable-component-update'],
});
async function answer(second, extensions) {
  const server = createServer(await certificate(second, extensions), (_request, response) => response.end('ok'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  const loaded = page.goto(`https://site.example.com:${server.address().port}/`);
  const result = await loaded.then(() => 'accepted', (error) => /net::ERR_\w+/.exec(String(error))?.[0]);
  await page.close();
  server.closeAllConnections();
  server.close();
  return result;
}
const [, rfc6962, fixed] = logs;
// Chromium reads its components when it has nothing else to do.
for (let tries = 0; tries < 30 && (await answer(rfc6962, INDEX)) !== 'accepted'; tries += 1) await setTimeout(1000);
const seen = {
  'RFC 6962 log with index': await answer(rfc6962, INDEX),
  'RFC 6962 log without': await answer(rfc6962, Buffer.alloc(0)),
  'static log with index': await answer(fixed, INDEX),
  'static log without': await answer(fixed, Buffer.alloc(0)),
};
await browser.close();
console.log(seen);
assert.deepEqual(Object.values(seen), ['accepted', 'accepted', 'accepted', 'net::ERR_CERTIFICATE_TRANSPARENCY_REQUIRED']);
END
node show.mjs
