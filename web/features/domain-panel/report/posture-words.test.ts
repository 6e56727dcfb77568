import { expect, it } from 'vitest';
import type { PostureWire } from '../../../../contract/domain-report.ts';
import {
  caaLines,
  keyExchangeLine,
  postureLine,
  registrationLine,
  servedToLine,
  tlsVersionsLine,
} from './posture-words.ts';

const versions = (...offered: (boolean | null)[]): PostureWire['tls_versions'] =>
  ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'].map((version, index) => ({
    version,
    offered: offered[index] ?? null,
  }));

it.each([
  [versions(false, false, true, true), 'TLS 1.2 and 1.3'],
  [versions(true, true, true, false), 'TLS 1.0, 1.1 and 1.2'],
  [versions(null, false, true, true), 'TLS 1.2 and 1.3'],
  [versions(null, null, null, null), 'Unknown: no response'],
  [[], 'None known'],
])('tlsVersionsLine returns (case %#): $1', (offered, line) => expect(tlsVersionsLine(offered)).toBe(line));

it.each<[PostureWire['post_quantum'], RegExp]>([
  [{ state: 'negotiated', group: 'X25519MLKEM768' }, /^X25519MLKEM768: protects/],
  [{ state: 'not_offered', group: 'X25519' }, /^X25519: the server does not offer post-quantum/],
  [{ state: 'unknown', group: null }, /^We could not find out/],
])('keyExchangeLine explains %j', (postQuantum, line) => expect(keyExchangeLine(postQuantum)).toMatch(line));

it.each<[PostureWire['caa'], string[]]>([
  [{ outcome: 'not_applicable' }, ['CAA does not apply to IP addresses']],
  [{ outcome: 'none' }, ['No records: any CA may issue for this name']],
  [{ outcome: 'unavailable' }, ['Unknown: the DNS lookup failed']],
  [
    { outcome: 'unreadable', domain: 'fjord.example' },
    ['Unknown: the records at fjord.example could not be read'],
  ],
  [
    {
      outcome: 'records',
      domain: 'fjord.example',
      records: [
        { critical: false, tag: 'issue', value: 'letsencrypt.org' },
        { critical: true, tag: 'iodef', value: 'mailto:\u202Ex' },
      ],
    },
    ['issue "letsencrypt.org"', 'iodef "mailto:\\u202Ex", critical'],
  ],
])('caaLines lists the CAA records or says why there are none (case %#)', (caa, lines) =>
  expect(caaLines(caa)).toEqual(lines),
);

it.each<[PostureWire['registration'], string | null]>([
  [
    {
      outcome: 'expires',
      domain: 'fjord.example',
      expiry_date: '2027-05-03T12:00:00.000Z',
      registrar: 'Orchard Names',
    },
    'fjord.example is registered until 3 May 2027 with Orchard Names',
  ],
  [{ outcome: 'no_date', domain: 'orchard.example' }, 'The registry publishes no date for orchard.example'],
  [{ outcome: 'not_applicable' }, null],
])('registrationLine describes %j', (registration, line) =>
  expect(registrationLine(registration)).toBe(line),
);

it.each([
  [[], true, 'TLS 1.2 and 1.3, post-quantum key exchange'],
  [
    ['certificates for RSA keys', 'TLS 1.0'],
    true,
    'TLS 1.2 and 1.3, post-quantum key exchange; not tested: certificates for RSA keys; TLS 1.0',
  ],
  [['TLS 1.0'], false, 'TLS 1.2 and 1.3, post-quantum key exchange; not tested yet: TLS 1.0'],
])('postureLine summarises a healthy posture, and what was not tested: %j', (untested, isComplete, line) =>
  expect(
    postureLine({
      not_tested: untested,
      is_complete: isComplete,
      earlier: [],
      checked_at: '',
      tls_versions: versions(false, false, true, true),
      post_quantum: { state: 'negotiated', group: 'X25519MLKEM768' },
      caa: { outcome: 'none' },
      registration: { outcome: 'not_applicable' },
      alternates: [],
    }),
  ).toBe(line),
);

it.each([
  [[], 'RSA'],
  [['go'], 'RSA, for Go'],
  [['go', 'gnutls'], 'RSA, for Go and GnuTLS'],
] as const)('servedToLine names who gets a further certificate: %j', (clients, line) => {
  const certificate = { fingerprint: '', name: '', expiry_date: '' };
  expect(servedToLine({ ...certificate, key_type: 'rsa', clients: [...clients] })).toBe(line);
});
