import { octetString } from '../kit/certificates/der-writer.ts';
import { type CertificateOptions, mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { extra, OID } from './extension-scenarios.ts';
import { HOST, intermediateScenario, type Scenario, withChain } from './scenario.ts';

const hosts = (count: number): string[] => [HOST, ...numbered(count - 1, (index) => `h${index}.b`)];
const address = (net: number, index: number): string => `10.${net}.${index >> 8}.${index & 255}`;

/** Returns a scenario with this many host names in the leaf, and constraints on host names in the intermediate. */
function constrained(names: number, constraints: number, how: 'permitted' | 'excluded'): Scenario {
  const dns = numbered(constraints, (index) => `c${index}.d`);
  return intermediateScenario(
    `${constraints} ${how} host names and a certificate with ${names}`,
    { [how]: { dns: how === 'excluded' ? dns : ['example', 'b', ...dns.slice(2)] } },
    { commonName: null, dnsNames: hosts(names) },
  );
}

/** Returns a scenario in which the server sends `count` certificates. The last one is the intermediate that the leaf needs. */
const lateIntermediate = (count: number, key: 'P-256' | 'P-521' = 'P-256'): Scenario => ({
  name: `${count} certificates with keys on ${key}, the intermediate last`,
  mint({ ecdsa }) {
    const leaf = ecdsa.intermediate().issue({ dnsNames: [HOST] });
    const strangers = numbered(count - 2, (index) => mintAuthority({ commonName: `Stranger ${index}`, key }));
    return [leaf, ...strangers, ...leaf.chain];
  },
});

/** Returns a scenario in which the server sends `count` certificates. The leaf needs two of them: one in the middle and the last one. */
const mixed = (count: number): Scenario => ({
  name: `${count} certificates, two intermediates in the midst and last`,
  mint({ ecdsa }) {
    const second = ecdsa.intermediate({ commonName: 'Second' });
    const leaf = second.intermediate({ commonName: 'First' }).issue({ dnsNames: [HOST] });
    const strangers = numbered(count - 3, (index) => mintAuthority({ commonName: `Stranger ${index}` }));
    const [first, ...rest] = leaf.chain;
    const half = strangers.length >> 1;
    return [
      leaf,
      ...strangers.slice(0, half),
      ...(first === undefined ? [] : [first]),
      ...strangers.slice(half),
      ...rest,
    ];
  },
});

const padding = (bytes: number): CertificateOptions => extra(OID.unknown, octetString(Buffer.alloc(bytes)));

/** Mints a certificate of exactly this many bytes. RSA signatures do not vary in length. */
function ofSize(bytes: number, mint: (options: CertificateOptions) => MintedCertificate): MintedCertificate {
  for (let padded = bytes - 1_000; ;) {
    const minted = mint(padding(padded));
    if (minted.der.length === bytes) return minted;
    padded += bytes - minted.der.length;
  }
}

const sizedLeaf = (bytes: number, version: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3'): Scenario => ({
  name: `one certificate of ${bytes} bytes, ${version.replace('v', ' ')}`,
  mint: ({ rsa }) => [ofSize(bytes, (more) => rsa.issue({ dnsNames: [HOST], ...more }))],
  tls: { minVersion: version, maxVersion: version },
});

const sizedIntermediate = (bytes: number): Scenario => ({
  name: `an intermediate of ${bytes} bytes`,
  mint({ rsa }) {
    const key = rsa.intermediate().key;
    const sized = ofSize(bytes, (more) => rsa.intermediate({ key, ...more }));
    return [rsa.intermediate({ key }).issue({ dnsNames: [HOST] }), sized];
  },
});

/** Servers at, below and above the limits that some clients have. */
export const LIMIT_SCENARIOS: readonly Scenario[] = [
  constrained(500, 600, 'permitted'),
  constrained(500, 600, 'excluded'),
  intermediateScenario(
    '600 excluded addresses and a certificate with 500',
    { excluded: { ip: numbered(600, (index) => `${address(2, index)}/32`) } },
    { commonName: null, dnsNames: [HOST], ipAddresses: numbered(500, (index) => address(1, index)) },
  ),
  constrained(500, 500, 'permitted'),
  constrained(501, 500, 'excluded'),
  constrained(1024, 1024, 'permitted'),
  constrained(1025, 1024, 'permitted'),
  constrained(1024, 1024, 'excluded'),
  constrained(1025, 1024, 'excluded'),
  ...[9, 10, 11, 16, 17, 33, 64, 150].map((count) => lateIntermediate(count)),
  lateIntermediate(40, 'P-521'),
  ...[10, 16, 40].map(mixed),
  sizedLeaf(32_759),
  sizedLeaf(32_760),
  sizedLeaf(32_762, 'TLSv1.2'),
  sizedLeaf(32_763, 'TLSv1.2'),
  sizedLeaf(65_535),
  sizedLeaf(65_536),
  ...[70_000, 85_000, 99_000].map((bytes) => sizedLeaf(bytes)),
  sizedLeaf(102_391),
  sizedLeaf(102_392),
  sizedLeaf(102_394, 'TLSv1.2'),
  ...[65_535, 65_536, 90_000].map(sizedIntermediate),
  {
    name: 'an unneeded certificate of 70,000 bytes',
    mint: ({ rsa }) => [
      ...withChain(rsa.intermediate().issue({ dnsNames: [HOST] })),
      ofSize(70_000, (more) => mintAuthority({ commonName: 'Stranger', key: rsa.key, ...more })),
    ],
  },
  {
    name: 'three certificates of 30,000 bytes',
    mint({ rsa }) {
      const second = rsa.intermediate({ commonName: 'Second', ...padding(29_000) });
      const first = second.intermediate({ commonName: 'First', ...padding(29_000) });
      return withChain(first.issue({ dnsNames: [HOST], ...padding(29_000) }));
    },
  },
];

function numbered<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
