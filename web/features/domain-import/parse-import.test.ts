import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entriesOf } from './import-plan.ts';
import { isSkipped, recognisedText } from './parsed-import.ts';
import { parseImport, readImportFile } from './parse-import.ts';

/** Returns 'host [tags] notes' or 'line: reason' for each line. */
function read(text: string): string[] {
  const parsed = parseImport(text);
  if (!parsed.ok) return [parsed.message];
  return parsed.lines.map((line) => {
    if (isSkipped(line)) return `${line.line}: ${line.reason}`;
    const { host, tags, notes } = line;
    return [host, tags.length > 0 && `[${tags.join()}]`, notes].filter(Boolean).join(' ');
  });
}
const formatOf = (text: string) => {
  const parsed = parseImport(text);
  return parsed.ok ? parsed.format : 'refused';
};
const linesOf = (text: string) => {
  const parsed = parseImport(text);
  return parsed.ok ? parsed.lines.map(({ line }) => line) : [];
};

describe('importing how a host is checked', () => {
  const target = { connect_to: '10.0.0.7', family: '4' };

  test.each([
    ['columns of CSV', 'host,connect_to,server_name,family\nshop.example,10.0.0.7,,4'],
    ['keys of JSON', '[{"host":"shop.example","connect_to":"10.0.0.7","server_name":"","family":4}]'],
    [
      'the answer of the API',
      '[{"hostname":"shop.example","port":443,"target":{"connect_to":"10.0.0.7","server_name":null,"family":"4","summary":"…"}}]',
    ],
  ])('reads the fields of a target from %s, without the empty ones', (_, text) => {
    const parsed = parseImport(text);
    expect(parsed.ok && entriesOf(parsed.lines)).toMatchObject([{ ...target, tags: [] }]);
    expect(parsed.ok && entriesOf(parsed.lines)[0]).not.toHaveProperty('server_name');
  });

  test('skips a line if one of its fields is longer than the server accepts, and keeps the other lines', () => {
    const parsed = parseImport(
      `host,server_name\na.example,${'a'.repeat(301)}\nb.example,${'b'.repeat(300)}`,
    );
    expect(parsed.ok && parsed.lines).toMatchObject([
      { text: 'a.example', reason: 'Server name: longer than 300 characters' },
      { host: 'b.example' },
    ]);
  });

  test.each([
    'Host,Connect to,Server name,Name to verify,Expected status,Address family',
    'host,connect-to,server-name,verify-name,expected-status,family',
    'HOST,CONNECT_TO,Server_Name,Verify  name,Expected-Status,address-family',
  ])('reads a target from columns that are named as in the dialog or the command line: %s', (header) => {
    const parsed = parseImport(`${header}\nshop.example,10.0.0.7,none,other.example,200,4`);
    expect(parsed.ok && entriesOf(parsed.lines)).toEqual([
      {
        host: 'shop.example',
        connect_to: '10.0.0.7',
        server_name: 'none',
        verify_name: 'other.example',
        expected_status: '200',
        family: '4',
        tags: [],
        notes: '',
      },
    ]);
  });

  test('sends no target fields for a host without a target', () => {
    const parsed = parseImport('host,connect_to\nshop.example,');
    expect(parsed.ok && entriesOf(parsed.lines)).toEqual([{ host: 'shop.example', tags: [], notes: '' }]);
  });
});

describe('importing a port and a protocol', () => {
  test.each([
    ['mail.example,110,pop3', 'pop3://mail.example:110'],
    ['pop3://mail.example,1110,', 'pop3://mail.example:1110'],
    ['xmpp-server://chat.example,5555,', 'xmpp-server://chat.example:5555'],
    ['chat.example,5222,', 'chat.example:5222'],
    ['chat.example,5555,xmpp', 'xmpp://chat.example:5555'],
    ['[2001:db8::1],5222,smtp', 'smtp://[2001:db8::1]:5222'],
  ])('combines them to one address: %s', (row, host) => {
    const parsed = parseImport(`host,port,protocol\n${row}`);
    expect(parsed.ok && parsed.lines).toMatchObject([{ host }]);
  });

  test.each([
    ['chat.example,5222,xmpp', 'xmpp://chat.example'],
    ['chat.example,5269,xmpp-server', 'xmpp-server://chat.example'],
    ['chat.example,5223,tls', 'xmpps://chat.example'],
  ])(
    'leaves the usual port of XMPP out, so that our export of such a domain can be imported again: %s',
    (row, host) => {
      const [name, port, protocol] = row.split(',');
      for (const text of [
        `host,port,protocol\n${row}`,
        JSON.stringify([{ hostname: name, port: Number(port), protocol }]),
      ]) {
        const parsed = parseImport(text);
        expect(parsed.ok && parsed.lines).toMatchObject([{ host }]);
      }
    },
  );
});

describe('importing lines and lists', () => {
  test('reads one host or URL per line, and skips comments and blank lines', () => {
    const text =
      '\uFEFF# ours\nfjord.example\r\n\r\n https://api.fjord.example/v1?x=1#top \nmail.fjord.example:993 # imap\n';
    expect(read(text)).toEqual([
      'fjord.example',
      'https://api.fjord.example/v1?x=1#top',
      'mail.fjord.example:993',
    ]);
    expect(linesOf(text)).toEqual([2, 4, 5]);
    expect(formatOf(text)).toBe('lines');
  });

  test.each([
    ['a.example, b.example;c.example d.example\te.example', 5],
    ['a.example,b.example,\nc.example,d.example', 4],
    ['[2001:db8::1]:8443 192.0.2.10', 2],
    ['"a.example" <b.example>', 2],
  ])('reads several hosts in one line: %j', (text, count) => {
    expect(read(text)).toHaveLength(count);
    expect(read(text)[0]).not.toMatch(/["<]/);
  });

  test('strips bullets, numbers and remarks in parentheses', () => {
    const text = '- git.example\n* *.wiki.example\n2. mail.example:993 (imap)\n• shop.example # new';
    expect(read(text)).toEqual(['git.example', '*.wiki.example', 'mail.example:993', 'shop.example']);
  });

  test('keeps a line that is not a host unchanged, so that the server can explain the error', () => {
    expect(read('not a host')).toEqual(['not a host']);
    expect(read('bücher.example')).toEqual(['bücher.example']);
  });

  test('recognises empty input', () => {
    expect(formatOf(' \n# only a comment\n')).toBe('empty');
  });
});

describe('importing CSV', () => {
  test('finds columns by name, in any order, quoted or not', () => {
    const text =
      'Name,URL,Port,Tags\n"Shop, main",https://shop.example/a,,"web, prod"\nMail,mail.example,993,mail\n';
    expect(read(text)).toEqual([
      'https://shop.example/a [web,prod] Shop, main',
      'mail.example:993 [mail] Mail',
    ]);
    expect(formatOf(text)).toBe('csv');
  });

  test.each([';', '\t', ','])('splits cells at %j, with a byte order mark and CRLF', (mark) => {
    const text = `\uFEFF${[
      ['hostname', 'port'],
      ['a.example', '8443'],
      ['b.example', ''],
    ]
      .map((row) => row.join(mark))
      .join('\r\n')}`;
    expect(read(text)).toEqual(['a.example:8443', 'b.example']);
  });

  test.each([
    ['a first line sep=;', 'sep=;\r\nhost;port;notes\r\na.example;8443;one, two\r\n', [3]],
    ['a quoted first line sep=;', '"sep=;"\nhost;port;notes\na.example;8443;one, two\n', [3]],
    [
      'titles above the header',
      'Hosts, by team\n12.11.2026\n\nhost;port;notes\na.example;8443;one, two\n',
      [5],
    ],
    ['both', 'sep=\t\nHosts of example.com\t\t\nhost\tport\tnotes\na.example\t8443\tone, two\n', [4]],
  ])('accepts %s', (_, text, lines) => {
    expect(read(text)).toEqual(['a.example:8443 one, two']);
    expect(linesOf(text)).toEqual(lines);
  });

  test('accepts a title above a header of one column, but does not take a host for a title', () => {
    expect(read('Our hosts\nhost\na.example\nb.example')).toEqual(['a.example', 'b.example']);
    expect(read('a.example\nb.example\nhost')).toEqual(['a.example', 'b.example', 'host']);
    expect(read('a.example,1\nb.example,2\nhost,3\n')).toEqual(['a.example:1', 'b.example:2', 'host:3']);
  });

  test('finds the host and port columns without a header, and takes the other cells as notes', () => {
    expect(read('1;a.example;8443;web shop\n2;b.example;443;\n')).toEqual([
      'a.example:8443 1\nweb shop',
      'b.example:443 2',
    ]);
  });

  test('counts lines of the file even if cells span several lines', () => {
    const text = 'host,notes\na.example,"one\ntwo"\n\n# no\nb.example,\n,lost\n';
    expect(linesOf(text)).toEqual([2, 6, 7]);
    expect(read(text)).toEqual(['a.example one\ntwo', 'b.example', '7: No host in this row']);
  });

  test('reads our own export and removes the apostrophes before formulas', () => {
    const header = 'host,port,state,days_left,issuer,subject,check_every_minutes,paused,tags,notes,problem';
    const row = (tags: string, notes: string) => `a.example,443,ok,9,,,1440,,${tags},${notes},`;
    const rows = [
      row(`"'@home, web"`, `"'=1+1"`),
      row('', `"two\n'- lines\n' +3;'=4"`),
      row('', `"'s-Gravenhage; it's - '=fine"`),
    ];
    expect(read(`\uFEFF${header}\r\n${rows.join('\r\n')}\r\n`)).toEqual([
      'a.example:443 [@home,web] =1+1',
      'a.example:443 two\n- lines\n +3;=4',
      "a.example:443 's-Gravenhage; it's - '=fine",
    ]);
    expect(read(`host,notes\na.example,'=1+1`)).toEqual(["a.example '=1+1"]);
  });

  test('uses a protocol column or field as the scheme', () => {
    const table =
      'host,port,protocol\nmail.example,2526,smtp\na.example,443,HTTPS\nb.example,8,TCP\nimap://c.example,,tls';
    expect(read(table)).toEqual([
      'smtp://mail.example:2526',
      'https://a.example:443',
      'b.example:8',
      'imap://c.example',
    ]);
    expect(read('[{"host": "db.example", "port": 5433, "protocol": "postgres"}]')).toEqual([
      'postgres://db.example:5433',
    ]);
    expect(read('smtp://mail.example\nldap://ldap.example:3389')).toEqual([
      'smtp://mail.example',
      'ldap://ldap.example:3389',
    ]);
  });

  test('uses the port column only if the host column contains no port', () => {
    expect(read('host,port\na.example:8443,443\n2001:db8::1,993\nhttps://b.example/x,444')).toEqual([
      'a.example:8443',
      '[2001:db8::1]:993',
      'https://b.example:444/x',
    ]);
  });
});

describe('importing JSON', () => {
  test('reads a list of hosts, or of objects with a host', () => {
    const text = JSON.stringify([
      'a.example',
      { hostname: 'b.example', port: 8443, tags: ['x'] },
      { id: 1 },
      7,
      '',
      [[]],
    ]);
    expect(read(text)).toEqual([
      'a.example',
      'b.example:8443 [x]',
      '3: No host',
      '4: Not a host',
      '5: Empty',
      '6: Not a host',
    ]);
  });

  test('reports truncated JSON and JSON without hosts', () => {
    expect(read('{"monitorList": [')[0]).toMatch(/^This looks like JSON but has an error: /);
    expect(read('{"hosts": 1}')).toEqual(['This JSON is neither a list of hosts nor an Uptime Kuma backup.']);
  });
});

describe('the limits of an import', () => {
  test('are 10,000 lines: one more is refused', () => {
    const lines = Array.from({ length: 10_001 }, (_, index) => `h${index}.example`);
    expect(read(lines.slice(1).join('\n'))).toHaveLength(10_000);
    expect(read(lines.join('\n'))).toEqual([expect.stringMatching(/more than 10,000 hosts/)]);
    expect(read(`host\n${lines.slice(1).join('\n')}`)).toHaveLength(10_000);
    expect(read(`host\n${lines.join('\n')}`)).toEqual([expect.stringMatching(/more than 10,000 hosts/)]);
    expect(read(JSON.stringify(lines))).toEqual([expect.stringMatching(/more than 10,000 hosts/)]);
  });

  test('are 10 MB: a larger file is refused', () => {
    expect(read('x'.repeat(10 * 1024 * 1024 + 1))).toEqual([expect.stringMatching(/larger than 10 MB/)]);
  });

  test('do not let deeply nested JSON crash the import', () => {
    expect(read(`[${'['.repeat(50_000)}${']'.repeat(50_000)}]`)).toHaveLength(1);
  });
});

describe('a file to import', () => {
  const readFile = async (bytes: Uint8Array<ArrayBuffer>) => {
    const found = await readImportFile(new File([bytes], 'hosts.csv'));
    if ('message' in found) return found.message;
    const parsed = parseImport(found.text);
    return parsed.ok ? recognisedText(parsed, found.encoding) : parsed.message;
  };
  const bytesOf = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding));
  const TABLE = 'Übersicht\nhost;notes\nzürich.example;Büro\n';

  test.each([
    ['in UTF-8', bytesOf(TABLE, 'utf8'), 'CSV, without 1 line of titles: 1 host'],
    [
      'in Windows-1252',
      bytesOf(TABLE, 'latin1'),
      'CSV, read as Windows-1252, without 1 line of titles: 1 host',
    ],
    ['in UTF-16', bytesOf(TABLE, 'utf16le'), 'CSV, read as UTF-16, without 1 line of titles: 1 host'],
    ['of lines in UTF-16', bytesOf('a.example\n', 'utf16le'), 'Lines of hosts, read as UTF-16: 1 host'],
    ['of lines', bytesOf('a.example\n', 'utf8'), '1 host'],
    [
      'that is no text',
      bytesOf('\0\x01\x02', 'latin1'),
      'This is not a text file. Choose CSV, JSON or plain text.',
    ],
    [
      'of SQLite',
      bytesOf('SQLite format 3\0\x10', 'latin1'),
      expect.stringContaining('npx . import kuma.db'),
    ],
  ])('%s is described', async (_, bytes, said) => {
    expect(await readFile(bytes)).toEqual(said);
  });
});

test('parseImport never throws on any text, and its lines have numbers and hosts of at most 2,048 characters', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'host',
      'url,port',
      'host,protocol',
      'smtp',
      'smtp://',
      '"',
      ',',
      ';',
      '\t',
      '\n',
      '\r\n',
      '#',
      '{',
      '[',
      ']',
      '}',
      'a.example',
      ':443',
      '\uFEFF',
      '\0',
    ),
    fc.json(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const parsed = parseImport(pieces.join(''));
      if (!parsed.ok) return;
      for (const line of parsed.lines) {
        expect(line.line).toBeGreaterThan(0);
        if (!isSkipped(line)) expect(line.host.length).toBeLessThanOrEqual(2048);
      }
    }),
    { numRuns: 200 },
  );
});
