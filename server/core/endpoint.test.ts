import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayName, type EndpointErrorCode, type EndpointPolicy, normaliseEndpoint } from './endpoint.ts';
import { spec } from '../../tests/spec/spec.ts';
import { PROTOCOL_NAMES } from '../../contract/protocols.ts';

const closed: EndpointPolicy = {
  permitsAddress: (ip) => ip === '93.184.215.14' || ip === '2606:2800:21f::1',
  permitsLocalNames: false,
};
const open: EndpointPolicy = { permitsAddress: () => true, permitsLocalNames: true };

function accepted(input: string, policy = closed): string {
  const result = normaliseEndpoint(input, policy);
  if (!result.ok) throw new Error(`${input} was refused: ${result.code}`);
  return `${result.endpoint.kind} ${result.endpoint.host} ${result.endpoint.port}`;
}

function refusal(input: string, policy = closed): EndpointErrorCode | null {
  const result = normaliseEndpoint(input, policy);
  return result.ok ? null : result.code;
}

describe('normaliseEndpoint', () => {
  it.each([
    ['example.com', 'name example.com 443'],
    ['  Example.COM \n', 'name example.com 443'],
    ['example.com.', 'name example.com 443'],
    ['example.com:8443', 'name example.com 8443'],
    ['https://example.com', 'name example.com 443'],
    ['http://example.com/', 'name example.com 443'],
    ['HTTPS://user:secret@example.com:8443/path/a%20b?x=1#y', 'name example.com 8443'],
    ['//example.com/path', 'name example.com 443'],
    ['example.com/path', 'name example.com 443'],
    ['example.com?x', 'name example.com 443'],
    ['someone@example.com', 'name example.com 443'],
    ['xn--bcher-kva.example', 'name xn--bcher-kva.example 443'],
    ['xn--zz-invalid-9.example', 'name xn--zz-invalid-9.example 443'],
    ['Bücher.example', 'name xn--bcher-kva.example 443'],
    ['例え。テスト', 'name xn--r8jz45g.xn--zckzah 443'],
    ['a-b.1and1.example', 'name a-b.1and1.example 443'],
    ['my_host.example.com', 'name my_host.example.com 443'],
    ['_dmarc.example.com', 'name _dmarc.example.com 443'],
    [`${'a'.repeat(63)}.example`, `name ${'a'.repeat(63)}.example 443`],
    ['93.184.215.14', 'ip 93.184.215.14 443'],
    ['93.184.215.14.', 'ip 93.184.215.14 443'],
    ['https://93.184.215.14:8443', 'ip 93.184.215.14 8443'],
    ['[2606:2800:021F::0:1]', 'ip 2606:2800:21f::1 443'],
    ['https://[2606:2800:21f::1]:8443/', 'ip 2606:2800:21f::1 8443'],
    ['[::ffff:93.184.215.14]', 'ip 93.184.215.14 443'],
  ])('accepts %j as "%s"', (input, expected) => {
    expect(accepted(input)).toBe(expected);
    spec('5.10', 'The host goes through one normalising function');
  });

  it.each(['localhost', 'nas', 'printer.local', 'db.internal', 'x.home.arpa', 'a.b.localhost', 'x.onion'])(
    'accepts %s only if the policy permits local names',
    (input) => {
      expect(refusal(input)).toBe('local_name');
      expect(accepted(input, open)).toBe(`local-name ${input} 443`);
    },
  );
});

describe('the protocol of an endpoint', () => {
  function spoken(input: string): string {
    const result = normaliseEndpoint(input, open);
    if (!result.ok) throw new Error(`${input} was refused: ${result.code}`);
    const { protocol, host, port } = result.endpoint;
    return `${protocol} ${host} ${port}`;
  }

  it.each([
    ['smtp://mail.example.com', 'smtp mail.example.com 25'],
    ['SMTP://mail.example.com/', 'smtp mail.example.com 25'],
    ['submission://mail.example.com', 'smtp mail.example.com 587'],
    ['lmtp://mail.example.com', 'lmtp mail.example.com 24'],
    ['imap://mail.example.com', 'imap mail.example.com 143'],
    ['pop3://mail.example.com', 'pop3 mail.example.com 110'],
    ['ftp://ftp.example.com/pub', 'ftp ftp.example.com 21'],
    ['nntp://news.example.com', 'nntp news.example.com 119'],
    ['sieve://mail.example.com', 'sieve mail.example.com 4190'],
    ['xmpp://chat.example.com', 'xmpp chat.example.com 5222'],
    ['xmpp-server://chat.example.com', 'xmpp-server chat.example.com 5269'],
    ['ldap://ldap.example.com', 'ldap ldap.example.com 389'],
    ['postgres://user:secret@db.example.com/app?sslmode=require', 'postgres db.example.com 5432'],
    ['postgresql://db.example.com', 'postgres db.example.com 5432'],
    ['mysql://db.example.com', 'mysql db.example.com 3306'],
    ['https://example.com', 'https example.com 443'],
    ['wss://example.com/socket', 'https example.com 443'],
    ['http://example.com', 'https example.com 443'],
    ['tls://example.com', 'tls example.com 443'],
  ])('follows from the scheme: %s', (input, expected) => {
    expect(spoken(input)).toBe(expected);
  });

  it.each([
    ['smtps', 465],
    ['submissions', 465],
    ['imaps', 993],
    ['pop3s', 995],
    ['ftps', 990],
    ['nntps', 563],
    ['xmpps', 5223],
    ['xmpps-server', 5270],
    ['ldaps', 636],
    ['ircs', 6697],
    ['mqtts', 8883],
    ['amqps', 5671],
    ['rediss', 6379],
  ])('is direct TLS for the scheme %s and for port %i', (scheme, port) => {
    expect(spoken(`${scheme}://example.com`)).toBe(`tls example.com ${port}`);
    expect(spoken(`example.com:${port}`)).toBe(`tls example.com ${port}`);
  });

  it.each([
    ['https', [443, 8443]],
    ['smtp', [25, 587, 2525]],
    ['lmtp', [24]],
    ['imap', [143]],
    ['pop3', [110]],
    ['ftp', [21]],
    ['nntp', [119]],
    ['sieve', [4190]],
    ['xmpp', [5222]],
    ['xmpp-server', [5269]],
    ['ldap', [389, 3268]],
    ['postgres', [5432]],
    ['mysql', [3306]],
    ['tls', [1, 80, 465, 853, 4433, 8080, 65_535]],
  ])('follows from the port if no scheme names a protocol: %s', (protocol, ports) => {
    for (const port of ports) {
      expect(spoken(`example.com:${port}`)).toBe(`${protocol} example.com ${port}`);
      expect(spoken(`http://[2001:db8::1]:${port}/`)).toBe(`${protocol} 2001:db8::1 ${port}`);
    }
  });

  it('follows from the scheme, even on the port of another protocol', () => {
    expect(spoken('smtp://mail.example.com:2526')).toBe('smtp mail.example.com 2526');
    expect(spoken('https://example.com:9443/x')).toBe('https example.com 9443');
    expect(spoken('tls://example.com:25')).toBe('tls example.com 25');
    expect(spoken('smtps://example.com:25')).toBe('tls example.com 25');
    expect(spoken('imap://[2001:db8::1]:993')).toBe('imap 2001:db8::1 993');
    expect(spoken('xmpp-server://example.com:5222')).toBe('xmpp-server example.com 5222');
    expect(spoken('xmpp://example.com:5269')).toBe('xmpp example.com 5269');
  });

  it.each(PROTOCOL_NAMES)('can be given as a scheme: %s', (protocol) => {
    expect(spoken(`${protocol}://example.com:8123`)).toBe(`${protocol} example.com 8123`);
  });

  it('of XMPP connects to this host if a port is given, else to the servers that DNS names for the domain', () => {
    const target = (input: string, typed = {}) => {
      const read = normaliseEndpoint(input, open, typed);
      return read.ok && read.endpoint.target;
    };
    expect(target('xmpp://example.com')).toBeUndefined();
    expect(target('xmpps-server://example.com')).toBeUndefined();
    for (const input of ['xmpp://example.com:5222', 'example.com:5222', 'tls://example.com:5223'])
      expect(target(input)).toBe('{"connect_to":"example.com"}');
    expect(target('xmpp://example.com', { connect_to: 'example.com' })).toBe('{"connect_to":"example.com"}');
    expect(target('example.com:5222', { connect_to: '192.0.2.7' })).toBe('{"connect_to":"192.0.2.7"}');
    for (const input of ['xmpp://example.com:5555', 'xmpp://192.0.2.7:5222', 'imap://example.com:143'])
      expect(target(input)).toBeUndefined();
  });

  it('is unknown for schemes named like inherited properties, such as constructor', () => {
    expect(refusal('constructor://example.com')).toBe('scheme');
    expect(refusal('toString://example.com')).toBe('scheme');
  });

  it('appears in the display name only as its port', () => {
    const result = normaliseEndpoint('smtp://mail.example.com', closed);
    expect(result.ok && displayName(result.endpoint)).toBe('mail.example.com:25');
  });

  it('is listed with all others in the message that refuses an unknown scheme', () => {
    const result = normaliseEndpoint('gopher://example.com', closed);
    for (const name of PROTOCOL_NAMES)
      expect(result).toMatchObject({ message: expect.stringContaining(name) });
  });
});

describe('a refused host', () => {
  const label64 = 'a'.repeat(64);
  const cases: [EndpointErrorCode, string[]][] = [
    ['empty', ['', '   ', '\t\n', '.', 'https://', 'https:///path', ':443', 'user@']],
    ['too_long', ['x'.repeat(3_000), `${'abcdefg.'.repeat(32)}example`]],
    [
      'control_character',
      [
        'exam\0ple.com',
        'example.com\0',
        'exa\tmple.com',
        'example.com\r\nBcc: x@y.example',
        'a\u0085b.example',
      ],
    ],
    [
      'scheme',
      [
        'file:///etc/passwd',
        'gopher://example.com',
        'FILE://x.example',
        'ssh://example.com',
        'javascript://example.com/%0aalert(1)',
      ],
    ],
    ['backslash', ['https://example.com\\@127.0.0.1', 'example.com\\path', '\\\\example.com']],
    [
      'port',
      [
        'example.com:0',
        'example.com:65536',
        'example.com:abc',
        'example.com:',
        'example.com:-1',
        'example.com:443x',
        'example.com:１',
        'example.com:0443',
        'javascript:alert(1)',
        '[2606:2800:21f::1]:0',
        '[2606:2800:21f::1]:',
      ],
    ],
    [
      'brackets',
      [
        '::1',
        '2606:2800:21f::1',
        '2001:db8::1:443',
        'example.com:443:443',
        '::ffff:127.0.0.1',
        '[::1',
        '[::1].example',
      ],
    ],
    ['zone_id', ['[fe80::1%eth0]', '[fe80::1%25eth0]:443']],
    ['ip_literal', ['[]', '[:::]', '[1:2:3]', '[12345::]', '[example.com]', '[::1.2.3]', '[v1.fe80::a+en1]']],
    ['percent_encoding', ['%31%32%37.0.0.1', 'example%2ecom', 'https://ex%61mple.com/']],
    [
      'ambiguous_ip',
      [
        '2130706433',
        '127.1',
        '127.0.1',
        '0177.0.0.1',
        '0x7f.0.0.1',
        '0x7f000001',
        '0X7F.1',
        '127.0.0.0x1',
        '256.1.1.1',
        '1.2.3.4.5',
        '127.0.0.01',
        '１２７.0.0.1',
        '127。0。0。1',
        'example.123',
        '①②⑦.0.0.1',
      ],
    ],
    ['wildcard', ['*.example.com', 'https://*.example.com']],
    ['empty_label', ['example..com', '.example.com', 'example.com..', '127.0.0.1..']],
    ['label_too_long', [`${label64}.example`, `ü${'a'.repeat(60)}.example`]],
    ['hyphen', ['-a.example', 'a-.example', 'a.-b.example']],
    [
      'invalid_character',
      [
        'mailto:x@y.z',
        'MAILTO:ada@fjord.example',
        'exa mple.com',
        'a,b.example',
        '$(id).example.com',
        '`id`.example.com',
        'a;b.example',
        'a|b.example',
        'a&b.example',
        "a'b.example",
        '<b>.example',
        '{{7+7}}.example',
        'a\u202eb.example',
        'a b ü.example',
        '\ud800.example',
        'ü／x.example',
        '[x].example',
      ],
    ],
    [
      'address_refused',
      [
        '127.0.0.1',
        '//127.0.0.1',
        'https://example.com@127.0.0.1/',
        '10.0.0.1:8443',
        '169.254.169.254',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[fe80::1]',
        '[::ffff:0:0]',
      ],
    ],
    ['local_name', ['localhost', 'LOCALHOST.', 'ⓛocalhost', 'metadata.google.internal', 'nas']],
  ];

  for (const [code, inputs] of cases) {
    it.each(inputs)(`is reported as ${code}: %j`, (input) => {
      expect(refusal(input)).toBe(code);
    });
  }

  it('gets the message “Please enter a valid host address” if the field is empty', () => {
    expect(normaliseEndpoint(' ', closed)).toMatchObject({ message: 'Please enter a valid host address' });
  });

  it('has a message of its own for each reason, which never repeats the input', () => {
    const messages = cases.map(([, [input = '']]) => {
      const result = normaliseEndpoint(input, closed);
      return result.ok ? '' : result.message;
    });
    expect(new Set(messages).size).toBe(cases.length);
    expect(JSON.stringify(normaliseEndpoint('<script>alert(1)</script>.example', closed))).not.toContain(
      'script',
    );
  });
});

describe('any host input', () => {
  const anything = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((codes) => String.fromCodePoint(...codes)),
    fc.string(),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.domain(),
    fc.ipV4Extended(),
    fc.ipV6().map((ip) => `[${ip}]`),
    fc.stringMatching(/^[a-z0-9.:/@[\]%\\_-]{0,30}$/),
  );

  it('gives a refusal or a normalised endpoint, which stays the same when normalised again', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const first = normaliseEndpoint(input, open);
        if (!first.ok) return;
        const { host, port, kind, protocol } = first.endpoint;
        expect(host).toMatch(/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$|^[0-9a-f:]+$/);
        expect(port).toBeGreaterThan(0);
        expect(port).toBeLessThan(65_536);
        const written = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
        expect(normaliseEndpoint(`${protocol}://${written}`, open)).toEqual(first);
        const shown = normaliseEndpoint(displayName(first.endpoint), open);
        expect(shown).toMatchObject({ endpoint: { host, port, kind } });
      }),
    );
  });

  it('never gives an address that the policy forbids', () => {
    const nothing: EndpointPolicy = { permitsAddress: () => false, permitsLocalNames: false };
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4Extended(),
          fc.ipV6().map((ip) => `[${ip}]`),
        ),
        (input) => {
          expect(normaliseEndpoint(input, nothing).ok).toBe(false);
        },
      ),
    );
  });
});

describe('displayName', () => {
  it.each([
    [{ host: 'example.com', port: 443 }, 'example.com'],
    [{ host: 'example.com', port: 8443 }, 'example.com:8443'],
    [{ host: 'xn--bcher-kva.example', port: 443 }, 'bücher.example'],
    [{ host: '2606:2800:21f::1', port: 443 }, '[2606:2800:21f::1]'],
    [{ host: '2606:2800:21f::1', port: 8443 }, '[2606:2800:21f::1]:8443'],
    [{ host: '93.184.215.14', port: 8443 }, '93.184.215.14:8443'],
    [{ host: 'xn--zz-invalid-.example', port: 443 }, 'xn--zz-invalid-.example'],
  ])('returns for %j the name %s', (endpoint, expected) => {
    expect(displayName(endpoint)).toBe(expected);
  });
});
