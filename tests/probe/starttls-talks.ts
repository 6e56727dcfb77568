import type { Step } from '../kit/peers/scripted-peer.ts';
import type { Protocol } from '../../contract/protocols.ts';

/** A dialogue up to the start of TLS. The server's last step agrees to start TLS. */
export interface Talk {
  server: string;
  protocol: Protocol;
  steps: Step[];
}

export const sends = (words: string | Buffer): Step => ({ sends: words });
export const expects = (words: string | Buffer): Step => ({ expects: words });
export const fromHex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

const EHLO = expects('EHLO [127.0.0.1]\r\n');
const LHLO = expects('LHLO [127.0.0.1]\r\n');
const LDAP_REQUEST = expects(
  Buffer.concat([fromHex('301d 020101 7718 8016'), Buffer.from('1.3.6.1.4.1.1466.20037')]),
);
const POSTGRES_REQUEST = expects(fromHex('00000008 04d2162f'));
const MYSQL_REQUEST = expects(Buffer.concat([fromHex('20000001 85ae7f00 00000001 21'), Buffer.alloc(23)]));
/** Returns the stream header that we send to an XMPP server. */
export const xmppStream = (namespace: string, domain: string): Step =>
  expects(
    `<?xml version='1.0'?><stream:stream xmlns='${namespace}' ` +
      `xmlns:stream='http://etherx.jabber.org/streams' to='${domain}' version='1.0'>`,
  );
export const STREAM = xmppStream('jabber:client', 'site.test');
export const STREAM_START =
  "<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams' from='site.test' " +
  "version='1.0' xml:lang='en' id='67bcdbd8-8234-46d8-b3d4-0d5e8f03701d' xmlns='jabber:client'>";
const XMPP_STARTTLS = expects("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>");

/** Returns a HandshakeV10 packet whose lower half of the capabilities is `capabilities`. */
function mysqlGreeting(version: string, capabilities: number): Buffer {
  const payload = Buffer.concat([
    Buffer.from([10]),
    Buffer.from(`${version}\0`),
    fromHex('04000000 545f61492847 2d5d 00'),
    Buffer.from([capabilities & 0xff, capabilities >> 8]),
    fromHex('08 0200 ff15 00 000000000000 1d000000'),
    Buffer.from("~'?H.JhP6\\MK\0mysql_native_password\0"),
  ]);
  return Buffer.concat([Buffer.from([payload.length, 0, 0, 0]), payload]);
}

export const mysqlError = (code: number, text: string): Buffer => {
  const payload = Buffer.concat([Buffer.from([0xff, code & 0xff, code >> 8]), Buffer.from(text)]);
  return Buffer.concat([Buffer.from([payload.length, 0, 0, 0]), payload]);
};

function ldapResponse(id: number, resultCode: number, text: string): Buffer {
  const response = Buffer.from([0x0a, 1, resultCode, 4, 0, 4, text.length, ...Buffer.from(text)]);
  const message = Buffer.from([2, 1, id, 0x78, response.length, ...response]);
  return Buffer.from([0x30, message.length, ...message]);
}

function postgresError(fields: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries({ S: 'FATAL', ...fields }).map(([name, value]) => `${name}${value}\0`);
  const body = Buffer.from(`${text.join('')}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from('E'), length, body]);
}

const streamError = (content: string): string =>
  `${STREAM_START}<stream:error>${content}</stream:error></stream:stream>`;

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
    protocol: 'smtp',
    steps: [
      sends('220 mail.test Dovecot (Debian) ready.\r\n'),
      EHLO,
      sends('250-mail.test\r\n250-8BITMIME\r\n250-AUTH PLAIN\r\n250-BURL imap\r\n250 STARTTLS\r\n'),
      expects('STARTTLS\r\n'),
      sends('220 2.0.0 Begin TLS negotiation now.\r\n'),
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
        '"IMPLEMENTATION" "Dovecot (Debian) Pigeonhole"\r\n"SIEVE" "fileinto reject envelope encoded-character vacation"\r\n' +
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
    server: 'Dovecot',
    protocol: 'lmtp',
    steps: [
      sends('220 site.test Dovecot ready.\r\n'),
      LHLO,
      sends(
        '250-site.test\r\n250-STARTTLS\r\n250-8BITMIME\r\n250-CHUNKING\r\n250-ENHANCEDSTATUSCODES\r\n250-PIPELINING\r\n250 SIZE\r\n',
      ),
      expects('STARTTLS\r\n'),
      sends('220 2.0.0 Begin TLS negotiation now.\r\n'),
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
    server: 'Prosody',
    protocol: 'xmpp-server',
    steps: [
      xmppStream('jabber:server', 'site.test'),
      sends(
        `${STREAM_START.replace('jabber:client', 'jabber:server')}<stream:features>` +
          "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>",
      ),
      XMPP_STARTTLS,
      sends("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
    ],
  },
  {
    server: 'OpenLDAP',
    protocol: 'ldap',
    steps: [LDAP_REQUEST, sends(fromHex('300c 020101 7807 0a0100 0400 0400'))],
  },
  {
    server: 'Active Directory, whose lengths are five bytes long',
    protocol: 'ldap',
    steps: [
      LDAP_REQUEST,
      sends(
        Buffer.concat([
          fromHex('308400000028 020101 78840000001f 0a0100 0400 0400 8a16'),
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

export const firstTurns = (protocol: Protocol, count: number): Step[] =>
  TALKS.find((talk) => talk.protocol === protocol)?.steps.slice(0, count) ?? [];

/** A dialogue that ends with the server's refusal, and what the probe must say about it. */
export interface RefusalTalk extends Talk {
  reason: 'no_starttls' | 'server_refused' | 'client_blocked';
  code: string | null;
  text: string | null;
  isTemporary: boolean;
}

/** Dialogues whose server speaks the protocol and does not offer TLS. */
const WITHOUT_TLS: RefusalTalk[] = [
  withoutTls('smtp', 2, '502 5.5.2 not recognized\r\n', ['502', '5.5.2 not recognized']),
  withoutTls('smtp', 2, '250-mail.test\r\n250 8BITMIME\r\n'),
  withoutTls('smtp', 2, '250-mail.test\r\n250 X-NOSTARTTLS\r\n'),
  withoutTls('smtp', 4, '500 unknown command\r\n', ['500', 'unknown command']),
  withoutTls('smtp', 4, '501 no parameters\r\n', ['501', 'no parameters']),
  withoutTls('smtp', 4, '502 5.5.1 not implemented\r\n', ['502', '5.5.1 not implemented']),
  withoutTls('lmtp', 2, '500 5.5.1 Unknown command\r\n', ['500', '5.5.1 Unknown command']),
  withoutTls('lmtp', 2, '250-mail.test\r\n250 8BITMIME\r\n'),
  withoutTls('imap', 0, '* PREAUTH welcome\r\n', ['PREAUTH', 'welcome']),
  withoutTls('imap', 2, '* CAPABILITY IMAP4rev1 NOSTARTTLS\r\na OK\r\n'),
  withoutTls('imap', 4, 'b BAD unknown command\r\n', ['BAD', 'unknown command']),
  withoutTls('pop3', 2, '-ERR Unknown command.\r\n', ['-ERR', 'Unknown command.']),
  withoutTls('sieve', 0, '"IMPLEMENTATION" "x"\r\nOK\r\n'),
  withoutTls('ftp', 2, '500 AUTH not understood\r\n', ['500', 'AUTH not understood']),
  withoutTls('ftp', 2, '502 not implemented\r\n', ['502', 'not implemented']),
  withoutTls('ftp', 2, '530 Please log in.\r\n', ['530', 'Please log in.']),
  withoutTls('nntp', 2, '500 What?\r\n', ['500', 'What?']),
  withoutTls('xmpp', 1, `${STREAM_START}<stream:features/>`),
  withoutTls('xmpp', 1, `${STREAM_START}<stream:features><x/></stream:features>`),
  withoutTls('ldap', 1, ldapResponse(1, 2, 'unsupported'), ['2', 'unsupported']),
  withoutTls('postgres', 1, 'N'),
  withoutTls('postgres', 1, postgresError({ C: '0A000', M: 'no SSL' }), ['0A000', 'no SSL']),
  withoutTls('mysql', 0, mysqlGreeting('8.0.36', 0xf7ff)),
];

/** Dialogues in which the server refuses us and does not say that it is only for now. */
const REFUSING: RefusalTalk[] = [
  refusing('smtp', 0, '554 5.7.1 blocked\r\n', ['554', '5.7.1 blocked']),
  refusing('smtp', 2, '550 Unable to verify your name\r\n', ['550', 'Unable to verify your name']),
  refusing('smtp', 2, '501 Invalid EHLO argument\r\n', ['501', 'Invalid EHLO argument']),
  refusing('smtp', 4, '554 5.7.0 not for you\r\n', ['554', '5.7.0 not for you']),
  refusing('imap', 2, 'a BAD what\r\n', ['BAD', 'what']),
  refusing('imap', 4, '* NO hm\r\nb NO not today\r\n', ['NO', 'not today']),
  refusing('pop3', 0, '-ERR too many connections\r\n', ['-ERR', 'too many connections']),
  refusing('pop3', 2, '-ERR [SYS/PERM] TLS is broken\r\n', ['-ERR', '[SYS/PERM] TLS is broken']),
  refusing('sieve', 0, 'NO {9+}\r\nnot today\r\n', ['NO', 'not today']),
  refusing('sieve', 2, 'NO "not today"\r\n', ['NO', '"not today"']),
  refusing('ftp', 0, '530 Sorry\r\n', ['530', 'Sorry']),
  refusing('ftp', 2, '534 denied by policy\r\n', ['534', 'denied by policy']),
  refusing('nntp', 0, '502 no permission\r\n', ['502', 'no permission']),
  refusing('nntp', 2, '480 log in first\r\n', ['480', 'log in first']),
  refusing('nntp', 2, '502 not now\r\n', ['502', 'not now']),
  refusing('nntp', 2, '580 cannot start TLS\r\n', ['580', 'cannot start TLS']),
  refusing('xmpp', 1, streamError('<host-unknown xmlns="x"/>'), ['host-unknown', null]),
  refusing('xmpp', 1, streamError('<policy-violation></policy-violation><text>no</text>'), [
    'policy-violation',
    'no',
  ]),
  refusing('xmpp', 1, streamError('<visit-evil-example/>'), [null, null]),
  refusing('xmpp', 1, `${STREAM_START}</stream:stream>`, [null, null]),
  refusing('xmpp', 3, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", ['failure', null]),
  refusing('ldap', 1, ldapResponse(1, 1, ''), ['1', null]),
  refusing('ldap', 1, ldapResponse(1, 53, 'unwilling'), ['53', 'unwilling']),
  refusing('ldap', 1, ldapResponse(0, 2, 'bye'), ['2', 'bye']),
  refusing('postgres', 1, postgresError({ C: '28000', M: 'no entry' }), ['28000', 'no entry']),
  refusing('postgres', 1, 'Ecould not fork\n\0', [null, null]),
  refusing('mysql', 0, mysqlError(1130, 'not allowed to connect'), ['1130', 'not allowed to connect']),
];

/** Dialogues in which the server refuses us for now. */
const BUSY: RefusalTalk[] = [
  busy('smtp', 0, '421-4.3.2 too many\r\n421 connections\r\n', ['421', '4.3.2 too many connections']),
  busy('smtp', 0, '450 4.3.2 greylisted\r\n', ['450', '4.3.2 greylisted']),
  busy('smtp', 2, '450 4.7.1 unknown hostname\r\n', ['450', '4.7.1 unknown hostname']),
  busy('smtp', 4, '454 4.7.0 TLS not available\r\n', ['454', '4.7.0 TLS not available']),
  busy('imap', 0, '* BYE too many connections\r\n', ['BYE', 'too many connections']),
  busy('imap', 2, '* BYE shutting down\r\n', ['BYE', 'shutting down']),
  busy('imap', 4, 'b NO [UNAVAILABLE] later\r\n', ['NO', '[UNAVAILABLE] later']),
  busy('pop3', 0, '-ERR [SYS/TEMP] later\r\n', ['-ERR', '[SYS/TEMP] later']),
  busy('pop3', 2, '-ERR [IN-USE] later\r\n', ['-ERR', '[IN-USE] later']),
  busy('sieve', 0, 'BYE "too many"\r\n', ['BYE', '"too many"']),
  busy('sieve', 0, 'NO (TRYLATER) "full"\r\n', ['NO', '(TRYLATER) "full"']),
  busy('sieve', 2, 'BYE (TRYLATER) "full"\r\n', ['BYE', '(TRYLATER) "full"']),
  busy('ftp', 0, '120 ready in 5 minutes\r\n', ['120', 'ready in 5 minutes']),
  busy('ftp', 0, '421-too many\r\nno code here\r\n421 users\r\n', ['421', 'too many users']),
  busy('ftp', 2, '431 no TLS now\r\n', ['431', 'no TLS now']),
  busy('nntp', 0, '400 overloaded\r\n', ['400', 'overloaded']),
  busy('xmpp', 1, streamError('<resource-constraint/><text>full</text>'), ['resource-constraint', 'full']),
  busy('xmpp', 3, '<stream:error><system-shutdown/></stream:error>', ['system-shutdown', null]),
  busy('ldap', 1, ldapResponse(1, 51, 'busy'), ['51', 'busy']),
  busy('ldap', 1, ldapResponse(0, 52, 'shutting down'), ['52', 'shutting down']),
  busy('postgres', 1, postgresError({ C: '53300', M: 'too many' }), ['53300', 'too many']),
  busy('postgres', 1, postgresError({ C: '57P03', M: 'starting up' }), ['57P03', 'starting up']),
  busy('mysql', 0, mysqlError(1040, 'Too many connections'), ['1040', 'Too many connections']),
  { ...busy('mysql', 0, mysqlError(1129, 'blocked'), ['1129', 'blocked']), reason: 'client_blocked' },
];

/** Dialogues in which the server speaks the protocol but does not start TLS. */
export const REFUSALS: RefusalTalk[] = [...WITHOUT_TLS, ...REFUSING, ...BUSY];

type Answer = readonly [code: string | null, text: string | null];

function withoutTls(
  protocol: Protocol,
  after: number,
  words: string | Buffer,
  answer: Answer = [null, null],
): RefusalTalk {
  return { ...refusing(protocol, after, words, answer), reason: 'no_starttls' };
}

function busy(protocol: Protocol, after: number, words: string | Buffer, answer: Answer): RefusalTalk {
  return { ...refusing(protocol, after, words, answer), isTemporary: true };
}

function refusing(
  protocol: Protocol,
  after: number,
  words: string | Buffer,
  [code, text]: Answer,
): RefusalTalk {
  const server = JSON.stringify(Buffer.from(words).toString('latin1').slice(-60));
  const steps = [...firstTurns(protocol, after), sends(words)];
  return { server, protocol, steps, reason: 'server_refused', code, text, isTemporary: false };
}
