import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { DnsEntry } from './dns-server.ts';

/** An address that stands for an internal one: nothing may connect to it. */
export const INSIDE = '127.0.0.2';
/** An address that stands for a public one in tests that permit it. */
export const OUTSIDE = '127.0.0.1';

/** Names whose owner points them to forbidden addresses; for a server of tests/kit/peers/dns-server.ts. */
export const HOSTILE_NAMES: Readonly<Record<string, DnsEntry>> = {
  'inside.test': { addresses: [INSIDE] },
  [`${INSIDE}.wildcard.test`]: { addresses: [INSIDE] },
  'alias.test': { cname: 'localhost', addresses: [INSIDE] },
  'mixed.test': { addresses: [OUTSIDE, INSIDE] },
  'mixed-families.test': { addresses: [OUTSIDE, '::1'] },
  'last.test': { addresses: [...Array.from({ length: 30 }, (_, index) => `127.0.1.${index + 1}`), OUTSIDE] },
  'six.test': { addresses: ['::1'] },
  'mapped.test': { addresses: [`::ffff:${INSIDE}`] },
  'nat64.test': { addresses: ['64:ff9b::7f00:2'] },
  'tunnel.test': { addresses: ['2002:7f00:2::1'] },
  'metadata.test': { addresses: ['169.254.169.254'] },
  'private.test': { addresses: ['10.0.0.1'] },
  'zero.test': { addresses: ['0.0.0.0'] },
};

/** Returns texts that may stand between `//` and the path of a URL, with the port. */
export function hostileAuthorities(port: number): string[] {
  const hosts = [
    // One address in every spelling that some parser accepts.
    INSIDE,
    '2130706434',
    '0x7f000002',
    '0x7f.0.0.2',
    '0177.0.0.2',
    '017700000002',
    '127.2',
    '127.0.2',
    '127.0.0.2.',
    '①②⑦.⓪.⓪.②',
    '127。0。0。2',
    '%31%32%37.0.0.2',
    '127.0.0.2%00.a.test',
    '٣.٣.٣.٣',
    '0',
    '0.0.0.0',
    '00000000',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::1%25lo]',
    '[fe80::1%25eth0]',
    '[::ffff:127.0.0.2]',
    '[::ffff:7f00:2]',
    '[::127.0.0.2]',
    '[::ffff:0:7f00:2]',
    '[64:ff9b::7f00:2]',
    '[64:ff9b:1::7f00:2]',
    '[2002:7f00:2::]',
    '[2001:0:7f00:2::]',
    '[2606:4700::5efe:7f00:2]',
    '[fd00:ec2::254]',
    '[fc00::1]',
    '[fe80::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    // Other internal addresses.
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    // Local names of machines and clouds.
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ip6-localhost',
    'localhost.localdomain',
    'intranet',
    'metadata.google.internal',
    'metadata.goog',
    'printer.local',
    'router.home.arpa',
    'hidden.onion',
    ...Object.keys(HOSTILE_NAMES),
  ];
  const tricks = [
    `user@${INSIDE}`,
    `user:secret@${INSIDE}`,
    `ca.test:80@${INSIDE}`,
    `ca.test\\@${INSIDE}`,
    `${INSIDE}\\.ca.test`,
    `${INSIDE}\\@ca.test`,
    `${INSIDE}#@ca.test`,
    `${INSIDE}?@ca.test`,
    `${INSIDE}/@ca.test`,
    `ca.test@${INSIDE}@ca.test`,
    `/${INSIDE}`,
    `\t${INSIDE}`,
    `${INSIDE}\r\nx: y`,
  ];
  return [...hosts.map((host) => `${host}:${port}`), ...hosts, ...tricks];
}

/** URLs of other schemes, and texts that only look like URLs. */
export const HOSTILE_URLS: readonly string[] = [
  'file:///etc/passwd',
  `gopher://${INSIDE}:70/_x`,
  'data:text/plain,hello',
  `ftp://${INSIDE}/`,
  `ldap://${INSIDE}/cn=x`,
  `dict://${INSIDE}:11211/`,
  'javascript:alert(1)',
  `blob:http://${INSIDE}/1`,
  `http:/${INSIDE}/`,
  `http:\\\\${INSIDE}\\`,
  'http://',
  '',
];

export interface Dials {
  /** `ip:port` of every attempt to connect so far, successful or not. */
  attempts: readonly string[];
  stop(): void;
}

/** Records every TCP connection that this process starts. Works below all of the product's code, which could be wrong. */
export function watchDials(): Dials {
  const attempts: string[] = [];
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (ip: string, port: number) => attempts.push(`${ip}:${port}`));
  };
  subscribe('net.client.socket', onSocket);
  return { attempts, stop: () => void unsubscribe('net.client.socket', onSocket) };
}
