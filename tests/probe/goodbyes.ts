import type { Protocol } from '../../contract/protocols.ts';
import type { Step } from '../kit/peers/scripted-peer.ts';
import {
  expects,
  fromHex,
  mysqlError,
  sends,
  STREAM,
  STREAM_START,
  type Talk,
  xmppStream,
} from './starttls-talks.ts';

/** The login that follows the SSLRequest: an empty user name, no password, no attributes. */
const mysqlLogin = (sequence: number, capabilities: string): Buffer =>
  Buffer.concat([
    fromHex(`390000 0${sequence} ${capabilities} 00000001 21`),
    Buffer.alloc(23),
    Buffer.from('\0\0mysql_native_password\0\0'),
  ]);
const DENIED = mysqlError(1045, "#28000Access denied for user ''@'site.test' (using password: NO)");

interface Goodbye {
  /** What comes first inside TLS after STARTTLS, for example a new stream header. */
  upgraded?: Step[];
  /**
   * What comes first on ports where connections start with TLS, for example the greeting. Absent if the protocol has no such
   * known port.
   */
  direct?: Step[];
  steps: Step[];
  /** The question that comes before `steps` if the server is Dovecot. */
  dovecot?: Step[];
  /** The goodbye in plain text, after the server refused STARTTLS. Default: `steps`. */
  refused?: Step[];
}

const SERVER_STREAM = xmppStream('jabber:server', 'site.test');
const XMPP_FEATURES: Step = {
  sends: `${STREAM_START}<stream:features><mechanisms><mechanism>PLAIN</mechanism></mechanisms></stream:features>`,
};

/** How clients of each protocol end a session. */
export const GOODBYES = {
  smtp: {
    direct: [sends('220-mail.test\r\n220 ESMTP\r\n')],
    dovecot: [
      expects('AUTH X-CERTLANTERN\r\n'),
      sends('504 5.5.4 Unsupported authentication mechanism.\r\n'),
    ],
    steps: [expects('QUIT\r\n'), sends('221 2.0.0 Bye\r\n')],
  },
  lmtp: { steps: [expects('QUIT\r\n'), sends('221 2.0.0 Bye\r\n')] },
  imap: {
    direct: [sends('* OK [CAPABILITY IMAP4rev1] ready.\r\n')],
    dovecot: [
      expects('c AUTHENTICATE X-CERTLANTERN\r\n'),
      sends('c NO Unsupported authentication mechanism.\r\n'),
    ],
    steps: [expects('d LOGOUT\r\n'), sends('* BYE Logging out\r\nd OK Logout completed.\r\n')],
  },
  pop3: {
    direct: [sends('+OK ready.\r\n')],
    dovecot: [expects('AUTH X-CERTLANTERN\r\n'), sends('-ERR Unsupported authentication mechanism.\r\n')],
    steps: [expects('QUIT\r\n'), sends('+OK Logging out\r\n')],
  },
  ftp: {
    direct: [sends('220 (vsFTPd 3.0.3)\r\n')],
    steps: [expects('QUIT\r\n'), sends('221 Goodbye.\r\n')],
  },
  nntp: {
    direct: [sends('200 news.test ready\r\n')],
    steps: [expects('QUIT\r\n'), sends('205 Bye!\r\n')],
  },
  sieve: {
    upgraded: [sends('"IMPLEMENTATION" "x"\r\n"SASL" "PLAIN"\r\nOK "TLS negotiation successful."\r\n')],
    dovecot: [
      expects('AUTHENTICATE "X-CERTLANTERN"\r\n'),
      sends('NO "Unsupported authentication mechanism."\r\n'),
    ],
    steps: [expects('LOGOUT\r\n'), sends('OK "Logout completed."\r\n')],
  },
  xmpp: {
    upgraded: [STREAM, XMPP_FEATURES],
    direct: [STREAM, XMPP_FEATURES],
    steps: [expects('</stream:stream>'), sends('</stream:stream>')],
  },
  'xmpp-server': {
    upgraded: [SERVER_STREAM, XMPP_FEATURES],
    direct: [SERVER_STREAM, XMPP_FEATURES],
    steps: [expects('</stream:stream>'), sends('</stream:stream>')],
  },
  ldap: { direct: [], steps: [expects(fromHex('3005 020102 4200'))] },
  postgres: { direct: [], steps: [] },
  mysql: {
    steps: [
      expects(mysqlLogin(2, '85ae7f00')),
      sends(
        Buffer.concat([fromHex('2c0000 03 fe'), Buffer.from(`mysql_native_password\0${'x'.repeat(20)}\0`)]),
      ),
      expects(fromHex('000000 04')),
      sends(DENIED),
    ],
    refused: [expects(mysqlLogin(1, '85a67f00')), sends(DENIED)],
  },
} satisfies Partial<Record<Protocol, Goodbye>>;

export const goodbyeOf = (protocol: Protocol): Goodbye => GOODBYES[protocol as keyof typeof GOODBYES];

/** Returns how a session ends: inside TLS, or in plain text after the server refused STARTTLS. */
export function goodbyeSteps({ protocol, steps: talk }: Talk, state: 'upgraded' | 'refused'): Step[] {
  const { upgraded = [], dovecot = [], steps, refused = steps } = goodbyeOf(protocol);
  const [greeting] = talk;
  const isDovecot = greeting !== undefined && 'sends' in greeting && greeting.sends.includes('Dovecot');
  const leave = [...(isDovecot ? dovecot : []), ...(state === 'refused' ? refused : steps)];
  return state === 'refused' ? leave : [...upgraded, ...leave];
}
