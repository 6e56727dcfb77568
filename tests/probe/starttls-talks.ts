import type { Step } from '../kit/peers/scripted-peer.ts';
import type { Protocol } from '../../contract/protocols.ts';

/** The dialogue up to TLS; its last step of the server is the positive answer. */
export interface Talk {
  server: string;
  protocol: Protocol;
  steps: Step[];
}

const sends = (words: string | Buffer): Step => ({ sends: words });
const expects = (words: string | Buffer): Step => ({ expects: words });
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

const EHLO = expects('EHLO certlantern.invalid\r\n');
const LDAP_REQUEST = expects(
  Buffer.concat([hex('301d 020101 7718 8016'), Buffer.from('1.3.6.1.4.1.1466.20037')]),
);
const POSTGRES_REQUEST = expects(hex('00000008 04d2162f'));
const MYSQL_REQUEST = expects(Buffer.concat([hex('20000001 85ae7f00 00000001 21'), Buffer.alloc(23)]));
const STREAM = expects(
  "<?xml version='1.0'?><stream:stream xmlns='jabber:client' " +
    "xmlns:stream='http://etherx.jabber.org/streams' to='site.test' version='1.0'>",
);
const STREAM_START =
  "<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams' from='site.test' " +
  "version='1.0' xml:lang='en' id='67bcdbd8-8234-46d8-b3d4-0d5e8f03701d' xmlns='jabber:client'>";
const XMPP_STARTTLS = expects("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>");

/** Returns a HandshakeV10 packet with these capabilities in its lower half. */
function mysqlGreeting(version: string, capabilities: number): Buffer {
  const payload = Buffer.concat([
    Buffer.from([10]),
    Buffer.from(`${version}\0`),
    hex('04000000 545f61492847 2d5d 00'),
    Buffer.from([capabilities & 0xff, capabilities >> 8]),
    hex('08 0200 ff15 00 000000000000 1d000000'),
    Buffer.from("~'?H.JhP6\\MK\0mysql_native_password\0"),
  ]);
  return Buffer.concat([Buffer.from([payload.length, 0, 0, 0]), payload]);
}

const mysqlError = (code: number, text: string): Buffer => {
  const payload = Buffer.concat([Buffer.from([0xff, code & 0xff, code >> 8]), Buffer.from(text)]);
  return Buffer.concat([Buffer.from([payload.length, 0, 0, 0]), payload]);
};

/** Recorded from servers, most of them by `npm run test:interop`. */
export const TALKS: Talk[] = [
  {
    server: 'Postfix',
    protocol: 'smtp',
    steps: [
      sends('220 site.test ESMTP Postfix\r\n'),
      EHLO,
      sends(
        '250-site.test\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n250-VRFY\r\n250-ETRN\r\n250-STARTTLS\r\n' +
          '250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n250-DSN\r\n250-SMTPUTF8\r\n250 CHUNKING\r\n',
      ),
      expects('STARTTLS\r\n'),
      sends('220 2.0.0 Ready to start TLS\r\n'),
    ],
  },
  {
    server: 'a mail server with a long greeting, bare line ends and no text',
    protocol: 'smtp',
    steps: [
      sends('220-mail.test ESMTP\n220-We do not authorize the use of this system\n220 \n'),
      EHLO,
      sends('250-mail.test\n250-starttls \n250\n'),
      expects('STARTTLS\r\n'),
      sends('220\n'),
    ],
  },
  {
    server: 'Dovecot',
    protocol: 'imap',
    steps: [
      sends(
        '* OK [CAPABILITY IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ STARTTLS AUTH=PLAIN] Dovecot (Debian) ready.\r\n',
      ),
      expects('a CAPABILITY\r\n'),
      sends(
        '* CAPABILITY IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ STARTTLS AUTH=PLAIN\r\n' +
          'a OK Pre-login capabilities listed, post-login capabilities have more.\r\n',
      ),
      expects('b STARTTLS\r\n'),
      sends('b OK Begin TLS negotiation now.\r\n'),
    ],
  },
  {
    server: 'Dovecot',
    protocol: 'pop3',
    steps: [
      sends('+OK Dovecot (Debian) ready.\r\n'),
      expects('STLS\r\n'),
      sends('+OK Begin TLS negotiation now.\r\n'),
    ],
  },
  {
    server: 'Pigeonhole',
    protocol: 'sieve',
    steps: [
      sends(
        '"IMPLEMENTATION" "Dovecot (Debian) Pigeonhole"\r\n"SIEVE" "fileinto reject envelope vacation"\r\n' +
          '"NOTIFY" "mailto"\r\n"SASL" "PLAIN"\r\n"STARTTLS"\r\n"VERSION" "1.0"\r\nOK "Dovecot (Debian) ready."\r\n',
      ),
      expects('STARTTLS\r\n'),
      sends('OK "Begin TLS negotiation now."\r\n'),
    ],
  },
  {
    server: 'a sieve server that writes literals, one with an OK of its own',
    protocol: 'sieve',
    steps: [
      sends('"IMPLEMENTATION" {12}\r\nOK then\r\n"x"\r\n"STARTTLS"\r\nOK {4+}\r\n\r\nhi\r\nOK\r\n'),
      expects('STARTTLS\r\n'),
      sends('OK\r\n'),
    ],
  },
  {
    server: 'vsftpd',
    protocol: 'ftp',
    steps: [
      sends('220 (vsFTPd 3.0.3)\r\n'),
      expects('AUTH TLS\r\n'),
      sends('234 Proceed with negotiation.\r\n'),
    ],
  },
  {
    server: 'Pure-FTPd, whose greeting has lines without a code',
    protocol: 'ftp',
    steps: [
      sends(
        '220---------- Welcome to Pure-FTPd [privsep] [TLS] ----------\r\n' +
          '220-You are user number 1 of 50 allowed.\r\n  Local time is now 12:00.\r\n234 is no code here\r\n' +
          '220 You will be disconnected after 15 minutes of inactivity.\r\n',
      ),
      expects('AUTH TLS\r\n'),
      sends('234 AUTH TLS OK.\r\n'),
    ],
  },
  {
    server: 'InterNetNews',
    protocol: 'nntp',
    steps: [
      sends('200 news.test InterNetNews NNRP server INN 2.7.1 ready (posting ok)\r\n'),
      expects('STARTTLS\r\n'),
      sends('382 Begin TLS negotiation now\r\n'),
    ],
  },
  {
    server: 'Prosody',
    protocol: 'xmpp',
    steps: [
      STREAM,
      sends(
        `${STREAM_START}<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls></stream:features>`,
      ),
      XMPP_STARTTLS,
      sends("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
    ],
  },
  {
    server: 'an XMPP server that writes every element in two tags, and more features',
    protocol: 'xmpp',
    steps: [
      STREAM,
      sends(
        `${STREAM_START}\n<stream:features><starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls" note="a > b"></starttls>` +
          `<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>${'PLAIN'.repeat(600)}</mechanism>` +
          `<mechanism>${'SCRAM'.repeat(600)}</mechanism></mechanisms></stream:features>`,
      ),
      XMPP_STARTTLS,
      sends("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'></proceed>"),
    ],
  },
  {
    server: 'OpenLDAP',
    protocol: 'ldap',
    steps: [LDAP_REQUEST, sends(hex('300c 020101 7807 0a0100 0400 0400'))],
  },
  {
    server: 'Active Directory, whose lengths are five bytes long',
    protocol: 'ldap',
    steps: [
      LDAP_REQUEST,
      sends(
        Buffer.concat([
          hex('308400000028 020101 78840000001f 0a0100 0400 0400 8a16'),
          Buffer.from('1.3.6.1.4.1.1466.20037'),
        ]),
      ),
    ],
  },
  { server: 'PostgreSQL', protocol: 'postgres', steps: [POSTGRES_REQUEST, sends('S')] },
  {
    server: 'MariaDB',
    protocol: 'mysql',
    steps: [sends(mysqlGreeting('5.5.5-10.11.19-MariaDB-0+deb12u1', 0xfffe)), MYSQL_REQUEST],
  },
];

const firstTurns = (protocol: Protocol, count: number): Step[] =>
  TALKS.find((talk) => talk.protocol === protocol)?.steps.slice(0, count) ?? [];

/** Dialogues whose server speaks the protocol but refuses STARTTLS. */
export const REFUSALS: (Talk & { detail: string })[] = [
  refusal('smtp', 0, '554 no SMTP service here\r\n', 'The server greeted us with code 554.'),
  refusal('smtp', 0, '421-4.3.2 too many\r\n421 connections\r\n', 'The server greeted us with code 421.'),
  refusal('smtp', 2, '502 command not recognized\r\n', 'The server answered EHLO with code 502.'),
  refusal('smtp', 2, '250-mail.test\r\n250 8BITMIME\r\n', 'The server does not offer STARTTLS.'),
  refusal('smtp', 2, '250-mail.test\r\n250 X-NOSTARTTLS\r\n', 'The server does not offer STARTTLS.'),
  refusal('smtp', 4, '454 4.7.0 TLS not available\r\n', 'The server answered STARTTLS with code 454.'),
  refusal(
    'imap',
    0,
    '* BYE too many connections\r\n',
    'The server greeted us with BYE or PREAUTH, after which STARTTLS is not possible.',
  ),
  refusal(
    'imap',
    0,
    '* PREAUTH welcome\r\n',
    'The server greeted us with BYE or PREAUTH, after which STARTTLS is not possible.',
  ),
  refusal('imap', 2, '* CAPABILITY IMAP4rev1 NOSTARTTLS\r\na OK\r\n', 'The server does not offer STARTTLS.'),
  refusal('imap', 2, 'a BAD what\r\n', 'The server refused CAPABILITY.'),
  refusal('imap', 4, '* NO hm\r\nb NO not today\r\n', 'The server refused STARTTLS.'),
  refusal('pop3', 0, '-ERR too many connections\r\n', 'The server greeted us with an error.'),
  refusal('pop3', 2, '-ERR unknown command\r\n', 'The server answered STLS with an error.'),
  refusal('sieve', 0, '"IMPLEMENTATION" "x"\r\nOK\r\n', 'The server does not offer STARTTLS.'),
  refusal('sieve', 0, 'BYE "too many"\r\n', 'The server greeted us with a refusal.'),
  refusal('sieve', 2, 'NO "not today"\r\n', 'The server refused STARTTLS.'),
  refusal('ftp', 0, '421 too many\r\n', 'The server greeted us with code 421.'),
  refusal(
    'ftp',
    2,
    '530 Please login with USER and PASS.\r\n',
    'The server answered AUTH TLS with code 530.',
  ),
  refusal('nntp', 0, '502 no permission\r\n', 'The server greeted us with code 502.'),
  refusal('nntp', 2, '580 cannot start TLS\r\n', 'The server answered STARTTLS with code 580.'),
  refusal('xmpp', 1, `${STREAM_START}<stream:features/>`, 'The server does not offer STARTTLS.'),
  refusal(
    'xmpp',
    1,
    `${STREAM_START}<stream:features><x/></stream:features>`,
    'The server does not offer STARTTLS.',
  ),
  refusal(
    'xmpp',
    1,
    `${STREAM_START}<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>`,
    'The server ended the XMPP stream before STARTTLS.',
  ),
  refusal('xmpp', 3, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", 'The server refused STARTTLS.'),
  refusal(
    'ldap',
    1,
    hex('300c 020101 7807 0a0102 0400 0400'),
    'The server answered StartTLS with result code 2.',
  ),
  refusal(
    'ldap',
    1,
    hex('300c 020100 7807 0a0134 0400 0400'),
    'The server answered StartTLS with result code 52.',
  ),
  refusal('postgres', 1, 'N', 'The server does not offer TLS.'),
  refusal(
    'postgres',
    1,
    Buffer.from('E\0\0\0\x10SFATAL\0\0'),
    'The server answered the request for TLS with an error.',
  ),
  refusal('mysql', 0, mysqlGreeting('8.0.36', 0xf7ff), 'The server does not offer TLS.'),
  refusal('mysql', 0, mysqlError(1040, 'Too many connections'), 'The server greeted us with an error.'),
];

function refusal(
  protocol: Protocol,
  after: number,
  words: string | Buffer,
  detail: string,
): Talk & { detail: string } {
  return { server: detail, protocol, steps: [...firstTurns(protocol, after), sends(words)], detail };
}

/** Texts that no server of the protocol sends, including wrong lengths. */
export const NONSENSE: Talk[] = [
  nonsense('smtp', 0, '* OK IMAP4rev1 ready\r\n'),
  nonsense('smtp', 0, '999 hello\r\n'),
  nonsense('smtp', 0, '220x hello\r\n'),
  nonsense('smtp', 0, '\r\n'),
  nonsense('smtp', 2, 'HTTP/1.1 400 Bad Request\r\n\r\n'),
  nonsense('imap', 0, '220 mail.test ESMTP\r\n'),
  nonsense('imap', 2, '+ go on\r\n'),
  nonsense('pop3', 0, '* OK ready\r\n'),
  nonsense('pop3', 2, '250 ok\r\n'),
  nonsense('sieve', 0, '220 mail.test ESMTP\r\n'),
  nonsense('ftp', 0, 'SSH-2.0-OpenSSH_9.2\r\n'),
  nonsense('nntp', 0, 'RFB 003.008\n'),
  nonsense('xmpp', 1, 'HTTP/1.1 400 Bad Request\r\n\r\n'),
  nonsense('xmpp', 1, '<html><body>Bad Request</body></html>'),
  nonsense('xmpp', 1, `<${'x'.repeat(5_000)}`),
  nonsense('ldap', 1, 'HTTP/1.1 400 Bad Request\r\n\r\n'),
  nonsense('ldap', 1, hex('3080 0201')),
  nonsense('ldap', 1, hex('30847fffffff 0201')),
  nonsense('ldap', 1, hex('3085 0000000001 0201')),
  nonsense('ldap', 1, hex('300c 020101 6507 0a0100 0400 0400')),
  nonsense('ldap', 1, hex('300c 02ff01 7807 0a0100 0400 0400')),
  nonsense('ldap', 1, hex('300c 020101 78ff 0a0100 0400 0400')),
  nonsense('ldap', 1, hex('300c 020101 7807 0a0700 0400 0400')),
  nonsense('ldap', 1, hex('3000')),
  nonsense('postgres', 1, 'HTTP/1.1 400 Bad Request\r\n\r\n'),
  nonsense('postgres', 1, Buffer.from([0x15, 3, 1, 0, 2, 2, 70])),
  nonsense('mysql', 0, 'SSH-2.0-OpenSSH_9.2\r\n'),
  nonsense('mysql', 0, hex('ffffff 00 0a 352e35')),
  nonsense('mysql', 0, hex('050000 00 0a 352e3500')),
  nonsense('mysql', 0, hex('040000 00 0a 352e35')),
  nonsense('mysql', 0, hex('010000 00 09')),
  nonsense('mysql', 0, hex('010000 07 0a')),
];

function nonsense(protocol: Protocol, after: number, words: string | Buffer): Talk {
  const start = Buffer.from(words).toString('latin1').slice(0, 24);
  return { server: JSON.stringify(start), protocol, steps: [...firstTurns(protocol, after), sends(words)] };
}
