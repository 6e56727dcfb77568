import {
  type CertificateOptions,
  mintAuthority,
  type MintedAuthority,
  mintKey,
  nameDer,
} from '../kit/certificates/mint.ts';
import { HOST, type Roots, type Scenario, withChain } from './scenario.ts';

const leafOptions: CertificateOptions = { dnsNames: [HOST] };
const YESTERDAY = Date.now() - 86_400_000;

/** Returns two intermediates with the same name and key. The first one is odd; both lead to a trusted root. */
function twins(odd: CertificateOptions, { ecdsa }: Roots) {
  const key = mintKey();
  const good = ecdsa.intermediate({ commonName: 'Twin', key });
  const bad = ecdsa.intermediate({ commonName: 'Twin', key, ...odd });
  return { leaf: good.issue(leafOptions), good, bad };
}

const TWINS: Readonly<Record<string, CertificateOptions>> = {
  'has expired': { notAfter: YESTERDAY },
  'is not yet valid': { notBefore: Date.now() + 86_400_000 },
  'is no CA': { certificateAuthority: false },
  'permits another name': { permitted: { dns: ['other.example'] } },
  'is for clientAuth': { extendedKeyUsage: ['clientAuth'] },
  'is for anyExtendedKeyUsage': { extendedKeyUsage: ['any'] },
  'has an unknown critical extension': {
    extraExtensions: [{ oid: '1.3.6.1.4.1.99999.1', critical: true, value: Buffer.from('0500', 'hex') }],
  },
  'has an explicit FALSE': {
    extraExtensions: [{ oid: '1.3.6.1.4.1.99999.1', critical: false, value: Buffer.from('0500', 'hex') }],
  },
  'has a malformed AIA': {
    extraExtensions: [{ oid: '1.3.6.1.5.5.7.1.1', value: Buffer.from('0500ff', 'hex') }],
  },
  'has a corrupt signature': { corruptSignature: true },
  'is signed with SHA-1': { hash: 'sha1' },
  'has a path length of 300': { pathLength: 300 },
};

/** Returns a CA that a second root has certified too. No client trusts that root. */
function crossSigned({ ecdsa }: Roots, odd: CertificateOptions = {}) {
  const key = mintKey();
  const trusted = ecdsa.intermediate({ commonName: 'Crossed', key });
  const stranger = mintAuthority({ commonName: 'Stranger' }).intermediate({
    commonName: 'Crossed',
    key,
    ...odd,
  });
  return { leaf: trusted.issue(leafOptions), trusted, stranger };
}

const chainOf = (length: number) => (roots: Roots) => {
  let authority: MintedAuthority = roots.ecdsa;
  for (let index = 0; index < length; index++)
    authority = authority.intermediate({ commonName: `Level ${index}` });
  return withChain(authority.issue(leafOptions));
};

/** Servers with several or odd paths to a root. */
export const PATH_SCENARIOS: readonly Scenario[] = [
  ...Object.entries(TWINS).flatMap(([name, odd]): Scenario[] => [
    {
      name: `first of two intermediates with one key ${name}`,
      mint: (roots) => {
        const { leaf, good, bad } = twins(odd, roots);
        return [leaf, bad, good];
      },
    },
    {
      name: `second of two intermediates with one key ${name}`,
      mint: (roots) => {
        const { leaf, good, bad } = twins(odd, roots);
        return [leaf, good, bad];
      },
    },
  ]),
  {
    name: 'cross-signed by an unknown root, which is sent first',
    mint: (roots) => {
      const { leaf, trusted, stranger } = crossSigned(roots);
      return [leaf, stranger, trusted];
    },
  },
  {
    name: 'cross-signed by an unknown root, which is sent last',
    mint: (roots) => {
      const { leaf, trusted, stranger } = crossSigned(roots);
      return [leaf, trusted, stranger];
    },
  },
  {
    name: 'a root’s certificate by another root that has expired is sent',
    mint: ({ ecdsa, rsa }) => {
      const intermediate = ecdsa.intermediate();
      const cross = rsa.intermediate({ commonName: 'ECDSA Root', key: ecdsa.key, notAfter: YESTERDAY });
      return [intermediate.issue(leafOptions), intermediate, cross];
    },
  },
  {
    name: 'a root’s certificate by another root is sent',
    mint: ({ ecdsa, rsa }) => {
      const intermediate = ecdsa.intermediate();
      const cross = rsa.intermediate({ commonName: 'ECDSA Root', key: ecdsa.key });
      return [intermediate.issue(leafOptions), intermediate, cross];
    },
  },
  {
    name: 'a root’s certificate by an unknown root is sent',
    mint: ({ ecdsa }) => {
      const intermediate = ecdsa.intermediate();
      const stranger = mintAuthority({ commonName: 'Stranger' });
      const cross = stranger.intermediate({ commonName: 'ECDSA Root', key: ecdsa.key });
      return [intermediate.issue(leafOptions), intermediate, cross, stranger];
    },
  },
  {
    name: 'a forged root with the name of the true one is sent',
    mint: ({ ecdsa }) => {
      const intermediate = ecdsa.intermediate();
      return [
        intermediate.issue(leafOptions),
        intermediate,
        mintAuthority({
          subjectDer: nameDer({ organization: 'Certlantern Tests', commonName: 'ECDSA Root' }),
        }),
      ];
    },
  },
  ...[5, 6, 7, 8, 9, 10, 12, 15, 16, 19, 20, 60, 99, 100, 101].map((length): Scenario => ({
    name: `chain of ${length} intermediates`,
    mint: chainOf(length),
  })),
  {
    name: 'twelve certificates that do not belong',
    mint: ({ ecdsa }) => [
      ...withChain(ecdsa.intermediate().issue(leafOptions)),
      ...Array.from({ length: 12 }, (_, index) => mintAuthority({ commonName: `Stranger ${index}` })),
    ],
  },
];
