import type { Protocol } from '../../contract/protocols.ts';
import { firstTurns, fromHex, sends, type Talk } from './starttls-talks.ts';

/** Messages that no server of the protocol sends, such as ones with a wrong length. */
export const NONSENSE: Talk[] = [
  nonsense('smtp', 0, '* OK IMAP4rev1 ready\r\n'),
  nonsense('smtp', 0, '999 hello\r\n'),
  nonsense('smtp', 0, '220x hello\r\n'),
  nonsense('smtp', 0, '\r\n'),
  nonsense('smtp', 2, 'HTTP/1.1 400 Bad Request\r\n\r\n'),
  nonsense('lmtp', 0, '* OK ready\r\n'),
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
  nonsense('ldap', 1, fromHex('3080 0201')),
  nonsense('ldap', 1, fromHex('30847fffffff 0201')),
  nonsense('ldap', 1, fromHex('3085 0000000001 0201')),
  nonsense('ldap', 1, fromHex('300c 020101 6507 0a0100 0400 0400')),
  nonsense('ldap', 1, fromHex('300c 02ff01 7807 0a0100 0400 0400')),
  nonsense('ldap', 1, fromHex('300c 020101 78ff 0a0100 0400 0400')),
  nonsense('ldap', 1, fromHex('300c 020101 7807 0a0700 0400 0400')),
  nonsense('ldap', 1, fromHex('3000')),
  nonsense('postgres', 1, 'HTTP/1.1 400 Bad Request\r\n\r\n'),
  nonsense('postgres', 1, Buffer.from([0x15, 3, 1, 0, 2, 2, 70])),
  nonsense('mysql', 0, 'SSH-2.0-OpenSSH_9.2\r\n'),
  nonsense('mysql', 0, fromHex('ffffff 00 0a 352e35')),
  nonsense('mysql', 0, fromHex('050000 00 0a 352e3500')),
  nonsense('mysql', 0, fromHex('040000 00 0a 352e35')),
  nonsense('mysql', 0, fromHex('010000 00 09')),
  nonsense('mysql', 0, fromHex('010000 07 0a')),
];

function nonsense(protocol: Protocol, after: number, words: string | Buffer): Talk {
  const start = Buffer.from(words).toString('latin1').slice(0, 24);
  return { server: JSON.stringify(start), protocol, steps: [...firstTurns(protocol, after), sends(words)] };
}
