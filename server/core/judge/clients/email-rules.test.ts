import { expect, it } from 'vitest';
import { issue } from '../../../../tests/kit/certificates/judging.ts';
import type { Client } from '../../../../contract/check-words.ts';
import { type Certificate, parseCertificate } from '../../../pki/certificate.ts';
import { emailRefusals } from './email-rules.ts';

const leaf = parseCertificate(issue().der);
const email = (value: string) => ({ kind: 'email' as const, value });

const withEmails = (...values: string[]): Certificate => {
  const all = [{ kind: 'dns' as const, value: 'a.example' }, ...values.map(email)];
  return { ...leaf, subjectAltNames: { ...leaf.subjectAltNames, emailAddresses: values, all } };
};

const authority = (permitted: readonly string[], excluded: readonly string[] = []): Certificate => ({
  ...leaf,
  nameConstraints: {
    permitted: permitted.map(email),
    excluded: excluded.map(email),
    writesMinimum: false,
  },
});

const refusing = (...path: Certificate[]): Client[] =>
  emailRefusals([...path, leaf], 'https')
    .flatMap(({ clients = [] }) => clients)
    .toSorted();

it.each<[name: string, permitted: string[], excluded: string[], clients: Client[]]>([
  ['user@example.com', ['EXAMPLE.com'], [], []],
  ['user@a.example.com', ['.example.com'], ['.other.example'], []],
  ['user@example.com', [], ['other@example.com'], []],
  ['"user"@example.com', ['example.com'], [], ['chromium', 'firefox']],
  ['"user"@example.com', [], ['other.example'], ['chromium', 'firefox']],
  ['USER@example.com', [], ['user@example.com'], ['firefox', 'java']],
  ['user@example.com', [], ['"us\\er"@EXAMPLE.com'], ['chromium', 'firefox', 'go']],
  ['"user"@example.com', [], ['user@example.com'], ['chromium', 'firefox', 'go']],
  ['user@example.com', [], [''], ['chromium', 'firefox', 'gnutls', 'go', 'java']],
  ['user@example.com', [], ['.'], ['firefox', 'gnutls', 'go', 'java']],
  ['user@example.com', [], ['example.com.'], ['firefox', 'gnutls', 'go']],
  ['user@example.com', [], ['other.example.'], ['firefox', 'go']],
  ['user@example.com', [], ['*.example.com'], ['chromium', 'firefox']],
  ['user@example.com', ['example.com', 'a..b@example.com'], [], ['firefox', 'gnutls', 'go']],
  ['user@123', [], ['other.example'], ['firefox']],
])(
  'The address %s below an authority that permits %j and excludes %j is refused by %j',
  (name, permitted, excluded, clients) => {
    expect(refusing(withEmails(name), authority(permitted, excluded))).toEqual(clients);
    expect(refusing(withEmails(name), leaf, authority(permitted, excluded))).toEqual(clients);
    expect(refusing(withEmails(name), authority(permitted, excluded), leaf)).toEqual(clients);
  },
);

it('Constraints do not apply to addresses in certificates above them', () => {
  expect(refusing(withEmails('"a"@b'), leaf)).toEqual([]);
  expect(refusing(leaf, authority(['b']), withEmails('"a"@b'))).toEqual([]);
});

it('An address must satisfy the constraints of all authorities above it', () => {
  const path = [
    withEmails('user@example.com'),
    authority([], ['USER@example.com']),
    authority(['example.com']),
  ];
  expect(refusing(...path)).toEqual(['firefox', 'java']);
});

it.each([
  ['ü@EXAMPLE.com', ['example.com'], [], []],
  ['ü@bücher.example', ['xn--bcher-kva.example'], [], []],
  ['ü@xn--bcher-kva.example', ['xn--bcher-kva.example'], [], ['openssl']],
  ['ü@example.com', ['other.example'], [], ['openssl']],
  ['ü@example.com', [], ['example.com'], ['openssl']],
  ['ü@example.com', [], ['other.example'], []],
  ['example.com', ['example.com'], [], ['openssl']],
])(
  'The internationalised address %s below an authority that permits %j and excludes %j is refused by %j',
  (smtpMailbox, permitted, excluded, clients) => {
    const all = [
      { kind: 'unsupported' as const, form: 'otherName' as const, isMalformed: false, smtpMailbox },
    ];
    const named = { ...leaf, subjectAltNames: { ...leaf.subjectAltNames, emailAddresses: [], all } };
    expect(refusing(named, authority(permitted, excluded))).toEqual(clients);
  },
);

it('Go refuses a malformed address even if the constraints are about host names', () => {
  const constrained: Certificate = {
    ...leaf,
    nameConstraints: { permitted: [{ kind: 'dns', value: 'example' }], excluded: [], writesMinimum: false },
  };
  expect(refusing(withEmails('us er@example.com'), constrained)).toEqual(['go']);
  expect(refusing(withEmails('"us er"@example.com'), constrained)).toEqual([]);
});

it('Comparing 10,000 addresses with 20,001 constraints, one of which has 60,000 dots, takes less than 500 ms of CPU time', () => {
  const many = (prefix: string): string[] =>
    Array.from({ length: 10_000 }, (_, index) => `${prefix}${index}@a.b`);
  const path = [withEmails(...many('u')), authority(many('u'), [...many('x'), `${'.'.repeat(60_000)}x.`])];
  refusing(...path);
  const before = process.cpuUsage();
  refusing(...path);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(500);
});
