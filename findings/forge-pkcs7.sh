#!/bin/sh
# Guess:    node-forge lists the certificates of every PKCS#7 file, whatever their keys are and whichever tool wrote it.
# Happens:  one certificate with an elliptic curve makes the whole file unreadable ("Cannot read public key. OID is not RSA."), also
#           the RSA certificates in it; and a message of `openssl cms`, whose first line is `BEGIN CMS`, is refused.
# Seen:     node-forge 1.4.3; the files are from OpenSSL 3
# Matters:  a .p7b of several authorities often has both kinds of keys. Take the DER of each certificate from the message instead.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-forge@1.4.3
for kind in rsa:2048 'ec -pkeyopt ec_paramgen_curve:P-256'; do
  # shellcheck disable=SC2086 # two words
  openssl req -x509 -newkey $kind -nodes -days 2 -subj /CN=localhost -keyout "${kind%%[: ]*}.key" \
    -out "${kind%%[: ]*}.pem" 2>openssl.log || { cat openssl.log >&2; exit 1; }
done
cat rsa.pem ec.pem >both.pem
openssl crl2pkcs7 -nocrl -certfile rsa.pem -out rsa.p7b
openssl crl2pkcs7 -nocrl -certfile both.pem -out both.p7b
echo text >text
openssl cms -sign -nodetach -in text -signer rsa.pem -inkey rsa.key -outform PEM -out cms.pem
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import forge from 'node-forge';

const read = (file) => {
  try {
    return forge.pkcs7.messageFromPem(readFileSync(file, 'latin1')).certificates.length;
  } catch ({ message }) {
    return message;
  }
};
const seen = Object.fromEntries(['rsa.p7b', 'both.p7b', 'cms.pem'].map((file) => [file, read(file)]));
console.log(seen);
assert.equal(seen['rsa.p7b'], 1);
assert.match(seen['both.p7b'], /OID is not RSA/);
assert.match(seen['cms.pem'], /header type/);
END
node show.mjs
