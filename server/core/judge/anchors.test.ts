import { describe, expect, it } from 'vitest';
import { type Client, CLIENTS } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { objectIdentifier, sequence, tagged } from '../../../tests/kit/certificates/der-writer.ts';
import {
  currentOptions,
  DAY,
  ENDPOINT,
  handshakeWith,
  inWords,
  longValidity,
  NOW,
  observation,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import {
  type CertificateOptions,
  mintAuthority,
  type MintedCertificate,
  nameDer,
} from '../../../tests/kit/certificates/mint.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { connectingClients } from './clients/refusals.ts';
import { judge } from './judge.ts';

const EXPIRED = { notBefore: NOW - 1000 * DAY, notAfter: NOW - DAY };
const requiresPolicy = { oid: '2.5.29.36', value: sequence(tagged(0, false, Buffer.from([0]))) };
const policy = { oid: '2.5.29.32', value: sequence(sequence(objectIdentifier('1.3.6.1.4.1.99999.7'))) };

const forPurpose = (identifier: string): CertificateOptions => ({
  extendedKeyUsage: null,
  extraExtensions: [{ oid: '2.5.29.37', value: sequence(objectIdentifier(identifier)) }],
});

const rootOf = (options: CertificateOptions) =>
  mintAuthority({ commonName: 'Odd Root', ...longValidity, ...options });

interface Given {
  arePublic?: boolean;
  protocol?: Protocol;
}

function verdictOn(
  sent: readonly MintedCertificate[],
  anchors: readonly MintedCertificate[],
  { arePublic = false, protocol = 'https' }: Given = {},
) {
  const trustStore = createTrustStore(
    anchors.map(({ der }) => der),
    { arePublic },
  );
  const endpoint = { ...ENDPOINT, protocol };
  return judge(observation([handshakeWith(sent)], { endpoint }), NOW, trustStore);
}

/** Returns the clients that refuse the server, in the order of `CLIENTS`. */
function refusing(...given: Parameters<typeof verdictOn>): Client[] {
  const clients = connectingClients(verdictOn(...given), given[2]?.protocol ?? 'https');
  return clients.flatMap(({ client, connects }) => (connects ? [] : [client]));
}

const below = (options: CertificateOptions, given?: Given) => {
  const root = rootOf(options);
  return refusing(withChain(root.intermediate(longValidity).issue(currentOptions)), [root], given);
};

const MEASURED: Client[] = ['chromium', 'firefox', 'openssl', 'go', 'gnutls'];
const inOrder = (clients: readonly Client[]) => CLIENTS.filter((client) => clients.includes(client));

describe('an added root', () => {
  it.each<[string, CertificateOptions, Client[]]>([
    ['that has expired', EXPIRED, ['apple', ...MEASURED]],
    ['that is not yet valid', { notBefore: NOW + DAY }, ['apple', ...MEASURED]],
    ['that permits another name', { permitted: { dns: ['other.example'] } }, MEASURED],
    ['with path length 0 above an intermediate', { pathLength: 0 }, MEASURED],
    ['for clientAuth', { extendedKeyUsage: ['clientAuth'] }, ['chromium', 'firefox', 'openssl', 'go']],
    ['for Netscape’s gated servers', forPurpose('2.16.840.1.113730.4.1'), ['chromium', 'firefox', 'go']],
    ['for Microsoft’s gated servers', forPurpose('1.3.6.1.4.1.311.10.3.3'), ['chromium', 'firefox', 'go']],
    [
      'that permits another directory name',
      { permitted: { directory: [nameDer({ organization: 'Other' })] } },
      ['chromium', 'firefox', 'openssl', 'go'],
    ],
    ['without basicConstraints', { basicConstraints: null }, ['firefox', 'go', 'java']],
    [
      'without basicConstraints and keyUsage',
      { basicConstraints: null, keyUsage: null },
      ['firefox', 'openssl', 'go', 'java'],
    ],
    ['that is no CA', { certificateAuthority: false }, [...CLIENTS]],
    ['that may not sign certificates', { keyUsage: ['cRLSign'] }, [...CLIENTS]],
    ['that demands a policy', { extraExtensions: [requiresPolicy] }, ['chromium']],
    ['with a policy that it does not demand', { extraExtensions: [policy] }, []],
    ['without keyUsage', { keyUsage: null }, []],
    ['of version 1', { editFields: (fields) => fields.slice(1, -1) }, []],
    [
      'that has expired and is for clientAuth',
      { ...EXPIRED, extendedKeyUsage: ['clientAuth'] },
      ['apple', ...MEASURED],
    ],
  ])('%s is refused by exactly the clients that check this', (_, options, clients) => {
    expect(below(options)).toEqual(inOrder(clients));
  });

  it('is critical if OpenSSL or a browser over https refuses it, and a warning if only others do', () => {
    const root = rootOf({ basicConstraints: null });
    const sent = withChain(root.intermediate(longValidity).issue(currentOptions));
    expect(verdictOn(sent, [root])).toMatchObject({ trusted: false, findings: [{ severity: 'critical' }] });
    expect(verdictOn(sent, [root], { protocol: 'smtp' })).toMatchObject({
      trusted: true,
      findings: [{ code: 'path_invalid', severity: 'warning', clients: ['go', 'java'] }],
    });
  });

  it('that only browsers refuse causes no finding for a mail server', () => {
    const root = rootOf({ extraExtensions: [requiresPolicy] });
    const sent = withChain(root.intermediate(longValidity).issue(currentOptions));
    expect(verdictOn(sent, [root], { protocol: 'smtp' }).findings).toEqual([]);
  });

  it('with a path length is refused by clients that count intermediates with its own name', () => {
    const root = rootOf({ pathLength: 0 });
    const renewed = root.intermediate({ ...longValidity, commonName: 'Odd Root' });
    const sent = withChain(renewed.issue(currentOptions));
    expect(refusing(sent, [root])).toEqual(['firefox', 'go', 'gnutls']);
    expect(refusing(sent, [rootOf({ key: root.key, pathLength: 1 })])).toEqual([]);
    const longer = withChain(
      renewed.intermediate({ ...longValidity, commonName: 'Next' }).issue(currentOptions),
    );
    expect(verdictOn(longer, [root]).findings.map(({ code }) => code)).toEqual(['path_invalid']);
  });

  it('that some clients refuse does not hide findings about the certificates below it', () => {
    const root = rootOf(EXPIRED);
    const [leaf, ...chain] = withChain(
      root.intermediate(longValidity).issue({ ...currentOptions, key: 'P-521' }),
    );
    const verdict = verdictOn([leaf ?? root, ...chain], [root]);
    expect(verdict.path.map(({ role }) => role)).toEqual(['leaf', 'intermediate', 'anchor']);
    expect(verdict.findings.map(({ facts }) => ('rule' in facts ? facts.rule : facts.kind))).toEqual([
      'path_fault',
      'p521_key',
    ]);
  });

  it.each<[string, CertificateOptions, Client[]]>([
    ['for clientAuth', { extendedKeyUsage: ['clientAuth'] }, ['openssl']],
    ['that has expired', EXPIRED, ['openssl']],
    ['that permits another name', { permitted: { dns: ['other.example'] } }, ['openssl']],
    ['without basicConstraints', { basicConstraints: null }, ['java']],
    ['that may not sign certificates', { keyUsage: ['cRLSign'] }, ['openssl', 'java']],
    ['that demands a policy', { extraExtensions: [requiresPolicy] }, []],
  ])('%s is refused only by clients that try no second path, if there is one', (_, options, clients) => {
    const faulty = rootOf(options);
    const other = mintAuthority({ commonName: 'Other Root', ...longValidity });
    const cross = other.intermediate({ commonName: 'Odd Root', key: faulty.key, ...longValidity });
    expect(refusing([faulty.issue(currentOptions), cross], [faulty, other])).toEqual(clients);
  });

  it('that permits another name is refused by GnuTLS only if the sent certificates lead to it', () => {
    const faulty = rootOf({ permitted: { dns: ['other.example'] } });
    const other = mintAuthority({ commonName: 'Other Root', ...longValidity });
    const cross = faulty.intermediate({ commonName: 'Other Root', key: other.key, ...longValidity });
    expect(refusing([other.issue(currentOptions), cross], [faulty, other])).toEqual(['gnutls']);
    expect(refusing([other.issue(currentOptions)], [faulty, other])).toEqual([]);
  });
});

describe('a built-in root', () => {
  it.each<[string, CertificateOptions, Client[]]>([
    ['that has expired', EXPIRED, ['apple', 'firefox', 'openssl', 'go', 'gnutls']],
    ['with path length 0 above an intermediate', { pathLength: 0 }, ['firefox', 'openssl', 'go', 'gnutls']],
    ['that demands a policy', { extraExtensions: [requiresPolicy] }, []],
  ])('%s is accepted by Chrome, which uses only its name and key', (_, options, clients) => {
    expect(below(options, { arePublic: true })).toEqual(inOrder(clients));
  });
});

describe('a trusted intermediate', () => {
  const unknown = mintAuthority({ commonName: 'Unknown Root', ...longValidity });
  const trusted = unknown.intermediate({ commonName: 'Trusted CA', ...longValidity });

  const findings = (anchors: readonly MintedCertificate[]) =>
    inWords(verdictOn([trusted.issue(currentOptions)], anchors)).findings;

  it('gets a note if its root is not trusted too, because curl accepts it and other programs with OpenSSL do not', () => {
    expect(findings([trusted])).toMatchObject([
      {
        severity: 'note',
        message:
          'OpenSSL refuses the certificate “Trusted CA”: it is trusted, but it is not a root; only programs that allow this accept it, such as curl and Python since 3.13.',
        fix: 'Trust the root of this authority instead of its intermediate.',
      },
    ]);
    expect(findings([trusted, unknown])).toEqual([]);
  });

  it('that has expired makes OpenSSL refuse its renewed certificate too', () => {
    const root = mintAuthority({ commonName: 'Other Root', ...longValidity });
    const old = unknown.intermediate({ commonName: 'Trusted CA', ...EXPIRED });
    const renewed = root.intermediate({ commonName: 'Trusted CA', key: old.key, ...longValidity });
    expect(refusing(withChain(renewed.issue(currentOptions)), [old, root])).toEqual(['openssl']);
  });
});

describe('a trusted certificate of the server itself', () => {
  it('is judged as a leaf', () => {
    const own = { ...currentOptions, certificateAuthority: false, extendedKeyUsage: ['serverAuth'] };
    const keyUsage = ['digitalSignature'] as const;
    const plain = rootOf({ ...own, keyUsage });
    const authority = rootOf({ ...own, keyUsage, certificateAuthority: true });
    expect(refusing([plain], [plain])).toEqual([]);
    expect(refusing([authority], [authority])).toEqual(['firefox']);
  });

  it.each<[string, CertificateOptions]>([
    ['has expired', EXPIRED],
    ['is not yet valid', { notBefore: NOW + DAY, notAfter: NOW + 9 * DAY }],
    ['becomes valid within minutes', { notBefore: NOW + 60_000, notAfter: NOW + 9 * DAY }],
  ])('is accepted by Java alone if it %s', (_, dates) => {
    const options: CertificateOptions = { ...currentOptions, ...dates, certificateAuthority: false };
    const own = rootOf({ ...options, keyUsage: ['digitalSignature'] });
    expect(refusing([own], [own])).toEqual(CLIENTS.filter((client) => client !== 'java'));
    expect(refusing([own], [])).toEqual([...CLIENTS]);
    expect(refusing([mintAuthority(longValidity).issue(options)], [own])).toEqual([...CLIENTS]);
  });
});

describe('two roots with one name', () => {
  const first = rootOf({});
  const second = rootOf({});
  const withoutIdentifiers = { ...currentOptions, keyIdentifiers: null } as const;
  const rulesOf = (...given: Parameters<typeof verdictOn>) =>
    verdictOn(...given).findings.map(({ severity, facts, clients }) => [
      severity,
      'rule' in facts && facts.rule,
      clients,
    ]);

  it('without key identifiers are tried in another order: OpenSSL uses the first, GnuTLS the last', () => {
    expect(rulesOf([second.issue(withoutIdentifiers)], [first, second])).toEqual([
      ['critical', 'several_roots', ['openssl']],
      ['warning', 'root_order', ['gnutls']],
    ]);
    expect(rulesOf([first.issue(withoutIdentifiers)], [first, second])).toEqual([
      ['warning', 'root_order', ['openssl']],
      ['warning', 'several_roots', ['gnutls']],
    ]);
  });

  it('cause the same refusal if they issued an intermediate instead of the leaf', () => {
    const middle = second.intermediate({ ...longValidity, keyIdentifiers: null });
    expect(refusing(withChain(middle.issue(currentOptions)), [first, second])).toEqual(['openssl']);
  });

  it('cause only a warning for a client that refuses one order of them, and it still counts as connecting', () => {
    expect(refusing([first.issue(withoutIdentifiers)], [first, second])).toEqual(['gnutls']);
    const verdict = verdictOn([first.issue(withoutIdentifiers)], [first, second]);
    expect(inWords(verdict).findings[0]?.message).toMatch(/^OpenSSL may refuse this certificate: several/);
  });

  it('cause no finding if key identifiers tell them apart', () => {
    expect(rulesOf([second.issue(currentOptions)], [first, second])).toEqual([]);
  });

  it('cause no refusal by OpenSSL if the other one has a key of another type', () => {
    const rsa = rootOf({ key: 'RSA-2048' });
    expect(rulesOf([second.issue(withoutIdentifiers)], [rsa, second])).toEqual([
      ['warning', 'root_order', ['gnutls']],
    ]);
  });

  it('cause no finding if only one of them is valid now, or if both have the same key', () => {
    const twin = rootOf({ key: second.key });
    expect(rulesOf([second.issue(withoutIdentifiers)], [rootOf(EXPIRED), second])).toEqual([]);
    expect(rulesOf([second.issue(withoutIdentifiers)], [twin, second])).toEqual([]);
  });

  it('with one key are refused by each client that picks a root whose constraints forbid the host', () => {
    const narrow = rootOf({ key: second.key, permitted: { dns: ['other.example'] } });
    const forClients = rootOf({ key: second.key, extendedKeyUsage: ['clientAuth'] });
    const sent = [second.issue(currentOptions)];
    expect(refusing(sent, [narrow, second])).toEqual(['openssl']);
    expect(refusing(sent, [second, narrow])).toEqual(['gnutls']);
    expect(refusing(sent, [second, forClients])).toEqual([]);
  });

  it.each<[string, CertificateOptions]>([
    ['is no CA', { certificateAuthority: false, keyUsage: null }],
    ['may not sign certificates', { keyUsage: ['cRLSign'] }],
  ])('with one key may be refused by Java if one of them %s', (_, options) => {
    const noAuthority = rootOf({ key: second.key, ...options });
    expect(rulesOf([second.issue(currentOptions)], [noAuthority, second])).toEqual([
      ['critical', 'several_roots', ['openssl']],
      ['warning', 'root_order', ['java', 'gnutls']],
    ]);
  });
});
