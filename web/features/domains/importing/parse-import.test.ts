import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSkipped } from './parsed-import.ts';
import { parseImport } from './parse-import.ts';

/** 'host [tags] notes' or 'line: reason' of each line. */
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

describe('lines and lists', () => {
  test('a host or an address a line, with comments and blank lines between', () => {
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
  ])('hosts in one line: %s', (text, count) => {
    expect(read(text)).toHaveLength(count);
    expect(read(text)[0]).not.toMatch(/["<]/);
  });

  test('bullets, numbers and remarks in parentheses are no part of a host', () => {
    const text = '- git.example\n* *.wiki.example\n2. mail.example:993 (imap)\n• shop.example # new';
    expect(read(text)).toEqual(['git.example', '*.wiki.example', 'mail.example:993', 'shop.example']);
  });

  test('what is no list of hosts stays whole, for the server to judge', () => {
    expect(read('not a host')).toEqual(['not a host']);
    expect(read('bücher.example')).toEqual(['bücher.example']);
  });

  test('nothing is nothing', () => {
    expect(formatOf(' \n# only a comment\n')).toBe('empty');
  });
});

describe('CSV', () => {
  test('columns by their names, in any order, quoted or not', () => {
    const text =
      'Name,URL,Port,Tags\n"Shop, main",https://shop.example/a,,"web, prod"\nMail,mail.example,993,mail\n';
    expect(read(text)).toEqual([
      'https://shop.example/a [web,prod] Shop, main',
      'mail.example:993 [mail] Mail',
    ]);
    expect(formatOf(text)).toBe('csv');
  });

  test.each([';', '\t', ','])('cells between “%s”, with a byte order mark and CRLF', (mark) => {
    const text = `\uFEFF${[
      ['hostname', 'port'],
      ['a.example', '8443'],
      ['b.example', ''],
    ]
      .map((row) => row.join(mark))
      .join('\r\n')}`;
    expect(read(text)).toEqual(['a.example:8443', 'b.example']);
  });

  test('without names: the column of hosts, a port beside it, the rest as notes', () => {
    expect(read('1;a.example;8443;web shop\n2;b.example;443;\n')).toEqual([
      'a.example:8443 1\nweb shop',
      'b.example:443 2',
    ]);
  });

  test('lines are counted in the file, also across a cell of several', () => {
    const text = 'host,notes\na.example,"one\ntwo"\n\n# no\nb.example,\n,lost\n';
    expect(linesOf(text)).toEqual([2, 6, 7]);
    expect(read(text)).toEqual(['a.example one\ntwo', 'b.example', '7: No host in this row']);
  });

  test('our own file comes back as it was written, without the apostrophes against formulas', () => {
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

  test('a column or field that names what is spoken there becomes the scheme', () => {
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

  test('an address that has a port keeps it', () => {
    expect(read('host,port\na.example:8443,443\n2001:db8::1,993\nhttps://b.example/x,444')).toEqual([
      'a.example:8443',
      '[2001:db8::1]:993',
      'https://b.example:444/x',
    ]);
  });
});

describe('JSON', () => {
  test('a list of hosts, or of what names one', () => {
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
      '3: No host in it',
      '4: Not a host',
      '5: Nothing in it',
      '6: Not a host',
    ]);
  });

  test('half a file is said to be one', () => {
    expect(read('{"monitorList": [')[0]).toMatch(/^This looks like JSON, but it cannot be read: /);
    expect(read('{"hosts": 1}')).toEqual(['This JSON has no list of hosts and is no backup of Uptime Kuma.']);
  });
});

describe('a backup of Uptime Kuma', () => {
  // As version 1.23 writes it: what a kind does not use is left as the form had it.
  const monitor = (fields: object) => ({
    url: 'https://',
    hostname: null,
    port: null,
    active: true,
    tags: [],
    ...fields,
  });
  const backup = (...monitors: object[]) =>
    JSON.stringify({ version: '1.23.17', notificationList: [], monitorList: monitors.map(monitor) });

  test('hosts of every kind that has one, with tags and names', () => {
    const text = backup(
      {
        type: 'http',
        name: 'Shop',
        url: 'https://shop.example/health',
        tags: [
          { name: 'env', value: 'prod' },
          { name: 'web', value: '' },
        ],
      },
      { type: 'keyword', name: 'Blog', url: 'https://blog.example' },
      { type: 'json-query', name: 'API', url: 'https://api.example/v1' },
      { type: 'port', name: 'IMAP', hostname: 'mail.example', port: 993 },
      { type: 'ping', name: 'gw.example', hostname: 'gw.example', port: 53 },
      { type: 'dns', name: 'DNS', hostname: 'zone.example', port: 53 },
      { type: 'grpc-keyword', name: 'RPC', grpcUrl: 'rpc.example:8443' },
      { type: 'websocket-upgrade', name: 'WS', url: 'wss://ws.example/live' },
    );
    expect(formatOf(text)).toBe('uptime-kuma');
    expect(read(text)).toEqual([
      'https://shop.example/health [env: prod,web] Shop',
      'https://blog.example Blog',
      'https://api.example/v1 API',
      'mail.example:993 IMAP',
      'gw.example',
      'zone.example DNS',
      'rpc.example:8443 RPC',
      'https://ws.example/live WS',
    ]);
  });

  test('mail servers and databases come with what is spoken there, and without their passwords', () => {
    const database = (type: string, databaseConnectionString: string | null) => ({
      type,
      name: 'DB',
      databaseConnectionString,
    });
    const smtp = { type: 'smtp', name: 'Mail', hostname: 'mx.example' };
    expect(
      read(
        backup(
          { ...smtp, port: 2526, smtpSecurity: 'starttls' },
          { ...smtp, port: 465, smtpSecurity: 'secure' },
          smtp,
          database('postgres', 'postgres://user:secret@db.example:5433/app?sslmode=require'),
          database('mysql', 'mysql://user:secret@[2001:db8::1]/app'),
          database('mysql', 'Server=db.example;Pwd=secret'),
          database('postgres', null),
        ),
      ),
    ).toEqual([
      'smtp://mx.example:2526 Mail',
      'smtps://mx.example:465 Mail',
      'smtp://mx.example Mail',
      'postgres://db.example:5433 DB',
      'mysql://[2001:db8::1] DB',
      '6: No host in it',
      '7: No host in it',
    ]);
  });

  test('kinds without a host are left out, each with its reason', () => {
    expect(
      read(
        backup(
          { type: 'push', name: 'Cron' },
          { type: 'group', name: 'All' },
          { type: 'new-kind', name: 'New' },
        ),
      ),
    ).toEqual([
      '1: A push monitor waits for calls and has no host',
      '2: A group, not a host',
      '3: No host in it',
    ]);
  });

  test('a paused monitor comes along, and that is said', () => {
    const parsed = parseImport(
      backup({ type: 'http', name: 'Old', url: 'https://old.example', active: false }),
    );
    expect(parsed.ok && parsed.lines[0]).toMatchObject({ remark: 'Paused in Uptime Kuma, checked here' });
  });
});

describe('bounds', () => {
  test('10,000 lines pass, one more does not', () => {
    const lines = Array.from({ length: 10_001 }, (_, index) => `h${index}.example`);
    expect(read(lines.slice(1).join('\n'))).toHaveLength(10_000);
    expect(read(lines.join('\n'))).toEqual([expect.stringMatching(/more than 10,000 hosts/)]);
    expect(read(`host\n${lines.slice(1).join('\n')}`)).toHaveLength(10_000);
    expect(read(`host\n${lines.join('\n')}`)).toEqual([expect.stringMatching(/more than 10,000 hosts/)]);
    expect(read(JSON.stringify(lines))).toEqual([expect.stringMatching(/more than 10,000 hosts/)]);
  });

  test('more than 10 MB is refused before it is read', () => {
    expect(read('x'.repeat(10 * 1024 * 1024 + 1))).toEqual([expect.stringMatching(/larger than 10 MB/)]);
  });

  test('deep nesting is no trap', () => {
    expect(read(`[${'['.repeat(50_000)}${']'.repeat(50_000)}]`)).toHaveLength(1);
  });
});

test('no text makes it throw, and every line has its place and fits the contract', () => {
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
}, 30_000);

test('no backup makes it throw', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (monitors) => {
      expect(parseImport(JSON.stringify({ monitorList: monitors })).ok).toBe(true);
    }),
  );
});
