import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { factsOf, type Protocol, PROTOCOL_NAMES } from '../contract/protocols.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

/** Returns schemes and ports as the guide writes them: "`smtp://` 25, `submission://` 587, port 2525". */
function addresses({ schemes, otherPorts = [] }: NonNullable<ReturnType<typeof factsOf>['direct']>): string {
  const named = Object.entries(schemes).map(([scheme, port]) => `\`${scheme}://\` ${port}`);
  return [...named, ...otherPorts.map((port) => `port ${port}`)].join(', ');
}

/** Returns the row that the guide's table must have for a protocol. */
function rowOf(protocol: Protocol): string[] {
  const { title, startTls, direct, ...plain } = factsOf(protocol);
  const source = startTls === undefined ? '' : (expect.stringMatching(/\w/) as string);
  return [title, addresses(plain), direct === undefined ? '' : addresses(direct), source];
}

/** Returns the cells of each row of the table whose first column has this title. */
function tableRows(text: string, title: string): string[][] {
  const lines = text.slice(text.indexOf(`| ${title} `)).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('The documentation', () => {
  it('lists every protocol with its schemes and ports, and the specification of its dialogue before TLS, in one table', () => {
    const rows = tableRows(read('docs/guides/watch-hosts.md'), 'Protocol');
    expect(rows).toEqual(PROTOCOL_NAMES.map(rowOf));
  });
});
