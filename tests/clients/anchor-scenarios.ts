import { sequence, tagged } from '../kit/certificates/der-writer.ts';
import { type CertificateOptions, type MintedAuthority, mintKey } from '../kit/certificates/mint.ts';
import { ODD_ROOTS, TRUSTED_INTERMEDIATES, TRUSTED_LEAVES, TWIN_ROOTS } from './anchors.ts';
import { HOST, type Roots, type Scenario, withChain } from './scenario.ts';

const leafOptions: CertificateOptions = { dnsNames: [HOST] };
const OTHER_ISSUER_KEY: CertificateOptions = {
  keyIdentifiers: null,
  extraExtensions: [{ oid: '2.5.29.35', value: sequence(tagged(0, false, Buffer.alloc(20, 9))) }],
};

function anchor({ odd }: Roots, name: string): MintedAuthority {
  const found = odd.get(name);
  if (found === undefined) throw new Error(`no root ${name}`);
  return found;
}

/** Returns another certificate for an anchor’s name and key, signed by an ordinary root. */
const crossSigned = ({ ecdsa }: Roots, { subjectDer, key }: MintedAuthority): MintedAuthority =>
  ecdsa.intermediate({ subjectDer, key });

const leafBelow = (name: string): Scenario => ({
  name: `leaf below the root ${name}`,
  mint: (roots) => [anchor(roots, name).issue(leafOptions)],
});

/** Servers whose certificates also have a second path, which leads to an ordinary root. */
const withSecondPath = (name: string): Scenario[] => [
  {
    name: `root ${name}, and a certificate for it by another root`,
    mint: (roots) => {
      const root = anchor(roots, name);
      return [...withChain(root.intermediate().issue(leafOptions)), crossSigned(roots, root)];
    },
  },
  ...(['first', 'last'] as const).map((place): Scenario => ({
    name: `root ${name}, whose intermediate is sent ${place}, beside the same by another root`,
    mint: (roots) => {
      const key = mintKey();
      const odd = anchor(roots, name).intermediate({ commonName: 'Shared', key });
      const good = roots.ecdsa.intermediate({ commonName: 'Shared', key });
      const leaf = good.issue({ ...leafOptions, keyIdentifiers: null });
      return place === 'first' ? [leaf, odd, good] : [leaf, good, odd];
    },
  })),
];

/** Servers whose certificates lead to an odd anchor, or to one of several with the same name. */
export const ANCHOR_SCENARIOS: readonly Scenario[] = [
  ...[...Object.keys(ODD_ROOTS), ...Object.keys(TRUSTED_INTERMEDIATES)].map((name): Scenario => ({
    name: `root ${name}`,
    mint: (roots) => withChain(anchor(roots, name).intermediate().issue(leafOptions)),
  })),
  ...[
    'with path length 0',
    'without basicConstraints',
    'for clientAuth',
    'that has expired',
    'that excludes the name',
    'that requires a policy',
    'with a malformed subjectKeyIdentifier',
    'that is an intermediate',
    'that is an intermediate and has expired',
  ].map(leafBelow),
  ...[
    'that has expired',
    'that is not yet valid',
    'for clientAuth',
    'without basicConstraints',
    'that permits another name',
    'with path length 0',
    'that may not sign certificates',
    'that requires a policy',
    'with a malformed AIA',
    'that is an intermediate',
    'that is an intermediate and has expired',
  ].flatMap(withSecondPath),
  {
    name: 'root with path length 1 above two intermediates',
    mint: (roots) =>
      withChain(
        anchor(roots, 'with path length 1')
          .intermediate({ commonName: 'Upper' })
          .intermediate()
          .issue(leafOptions),
      ),
  },
  ...[0, 1].map((length): Scenario => ({
    name: `root with path length ${length} above an intermediate with its name`,
    mint(roots) {
      const root = anchor(roots, `with path length ${length}`);
      return withChain(root.intermediate({ subjectDer: root.subjectDer }).issue(leafOptions));
    },
  })),
  {
    name: 'root with path length 1 above an intermediate with its name and another',
    mint(roots) {
      const root = anchor(roots, 'with path length 1');
      const renewed = root.intermediate({ subjectDer: root.subjectDer, key: 'RSA-2048' });
      return withChain(
        renewed.intermediate({ commonName: 'Next' }).issue({ ...leafOptions, key: 'RSA-2048' }),
      );
    },
    tls: { maxVersion: 'TLSv1.2' },
  },
  {
    name: 'root that excludes the name above two intermediates, over TLS 1.2',
    mint: (roots) =>
      withChain(
        anchor(roots, 'that excludes the name')
          .intermediate({ commonName: 'Upper' })
          .intermediate()
          .issue({ ...leafOptions, key: 'RSA-2048' }),
      ),
    tls: { maxVersion: 'TLSv1.2' },
  },
  ...['with a critical SKI', 'with another SKI', 'with a malformed subjectKeyIdentifier'].map(
    (name): Scenario => ({
      name: `intermediate without AKI below the root ${name}`,
      mint: (roots) =>
        withChain(anchor(roots, name).intermediate({ keyIdentifiers: null }).issue(leafOptions)),
    }),
  ),
  {
    name: 'leaf below a root whose AKI has another key id',
    mint: ({ ecdsa }) => [ecdsa.issue({ ...leafOptions, ...OTHER_ISSUER_KEY })],
  },
  {
    name: 'lower of two intermediates with another key id in its AKI',
    mint: ({ ecdsa }) =>
      withChain(
        ecdsa
          .intermediate({ commonName: 'Upper' })
          .intermediate({ commonName: 'Lower', ...OTHER_ISSUER_KEY })
          .issue(leafOptions),
      ),
  },
  ...Object.keys(TWIN_ROOTS).flatMap((name) =>
    (['first', 'second'] as const).flatMap((place): Scenario[] => [
      {
        name: `two roots ${name}: intermediate below the ${place}`,
        mint: (roots) =>
          withChain(
            anchor(roots, `${name}: ${place}`).intermediate({ keyIdentifiers: null }).issue(leafOptions),
          ),
      },
      {
        name: `two roots ${name}: leaf below the ${place}`,
        mint: (roots) => [anchor(roots, `${name}: ${place}`).issue({ ...leafOptions, keyIdentifiers: null })],
      },
    ]),
  ),
  ...['with two keys', 'with two keys and no key identifiers', 'with one key'].map((name): Scenario => ({
    name: `two roots ${name}: intermediate with a key identifier below the second`,
    mint: (roots) => withChain(anchor(roots, `${name}: second`).intermediate().issue(leafOptions)),
  })),
  ...Object.keys(TRUSTED_LEAVES).map((name): Scenario => ({ name, mint: (roots) => [anchor(roots, name)] })),
];
