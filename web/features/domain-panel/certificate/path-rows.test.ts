import { describe, expect, it } from 'vitest';
import type { ReportWire } from '../../../../contract/domain-report.ts';
import type { ChainCertificateWire } from '../../../../contract/domain.ts';
import { pathLine, pathRows, sentLine } from './path-rows.ts';

type Entry = ReportWire['path'][number];

const entry = (name: string, differences: Partial<Entry> = {}): Entry => ({
  fingerprint: name,
  name,
  role: 'intermediate',
  expiry_date: '2027-05-03T00:00:00.000Z',
  source: 'sent',
  ...differences,
});
const LEAF = entry('fjord.example', { role: 'leaf' });
const R13 = entry('R13');
const ROOT = entry('ISRG Root X1', { role: 'anchor', source: 'trust_store' });

const sent = (...names: string[]): ChainCertificateWire[] =>
  names.map((name) => ({
    fingerprint: name,
    role: 'intermediate',
    subject: name,
    subject_full_dn: `CN=${name}`,
    issuer: '',
    issuer_full_dn: '',
    serial_number: '01',
    valid_from: '2026-01-01T00:00:00.000Z',
    expiry_date: '2027-01-01T00:00:00.000Z',
    public_key: 'ECDSA P-256',
    sans: [],
    pem: name,
  }));

describe('the sent chain beside the path', () => {
  it.each<[string, Entry[], string[], string]>([
    [
      'is described as complete and in order',
      [LEAF, R13, ROOT],
      ['fjord.example', 'R13'],
      'The server sends 2 certificates: complete and in order.',
    ],
    [
      'is described with the intermediate that is missing',
      [LEAF, { ...R13, source: 'fetched' }, ROOT],
      ['fjord.example'],
      'The server sends 1 certificate. R13 is missing.',
    ],
    [
      'is described with the number of certificates outside the path',
      [LEAF, R13, ROOT],
      ['fjord.example', 'R13', 'ISRG Root X1'],
      'The server sends 3 certificates. One is not on the path.',
    ],
    [
      'is described with duplicates and a wrong order',
      [LEAF, entry('R12'), R13, ROOT],
      ['fjord.example', 'R13', 'R12', 'R13', 'R13'],
      'The server sends 5 certificates. 2 are not on the path. The order is wrong.',
    ],
    ['is only counted if there is no path', [], ['fjord.example', 'R13'], 'The server sends 2 certificates.'],
  ])('sentLine: %s', (_, path, names, line) => {
    expect(sentLine(pathRows(path, sent(...names)))).toBe(line);
  });

  it('is described in the past tense if the last check did not reach the host', () =>
    expect(sentLine(pathRows([], sent('fjord.example', 'R13')), true)).toBe(
      'The server sent 2 certificates.',
    ));

  it('assigns each sent certificate to one place on the path or beside the path', () => {
    const { path, others } = pathRows([LEAF, R13, ROOT], sent('fjord.example', 'stray', 'R13', 'R13'));
    expect(path.map(({ sentAt }) => sentAt)).toEqual([0, 2, null]);
    expect(others.map(({ certificate, sentAt }) => [certificate?.pem, sentAt])).toEqual([
      ['stray', 1],
      ['R13', 3],
    ]);
  });

  it('lists all sent certificates beside the path if there is no valid path', () =>
    expect(pathRows([], sent('fjord.example', 'R13')).others).toHaveLength(2));
});

it.each([
  [[LEAF, R13, ROOT], null, 'Ends at ISRG Root X1, a trusted root'],
  [
    [LEAF, R13, ROOT],
    { name: 'R13', expiry_date: '2027-05-03T10:00:00.000Z' },
    'Ends at ISRG Root X1, a trusted root. The chain expires on 3 May 2027 with R13',
  ],
  [[], null, 'No path to a trusted root'],
])('the line on the path says where the path ends: $2', (path, weakest, line) => {
  expect(pathLine(path, { weakest_link: weakest, unreachable: null })).toBe(line);
});

it('the line on the path says “Not checked” if the host was not reached', () => {
  const unreachable = {
    stage: 'dns',
    reason: 'name_not_found',
    message: 'Gone.',
    since: '2026-11-20T10:00:00Z',
  };
  expect(pathLine([], { weakest_link: null, unreachable })).toBe('Not checked: certificate not read');
});
