#!/bin/sh
# Guess:    a CSV library, with a header and a delimiter or a list of delimiters, skips the first line `sep=;` that Excel
#           itself understands.
# Happens:  papaparse, csv-parse and fast-csv take it for the header: every row then has a column named `sep=`.
# Seen:     papaparse 5.5.3, csv-parse 6.2.1, fast-csv 5.0.8
# Matters:  such files look right in Excel, so nobody sees why an import finds no column. Read and remove the line first.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts papaparse@5.5.3 csv-parse@6.2.1 fast-csv@5.0.8
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { parseString } from 'fast-csv';
import Papa from 'papaparse';

const text = 'sep=;\r\nhost;port\r\na.example;443\r\n';
const seen = {
  papaparse: Papa.parse(text, { header: true, delimitersToGuess: [';', ','] }).meta.fields,
  'csv-parse': Object.keys(parse(text, { columns: true, delimiter: [';', ','] })[0]),
  'fast-csv': await new Promise((resolve, reject) => {
    parseString(text, { headers: true, delimiter: ';' })
      .on('headers', resolve)
      .on('error', reject)
      .resume();
  }),
};
console.log(seen);
assert.ok(Object.values(seen).every(([first]) => first.startsWith('sep=')), 'The header is another one now.');
END
node show.mjs
