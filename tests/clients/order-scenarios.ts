import { mintAuthority, type MintedAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { HOST, type Roots, type Scenario } from './scenario.ts';

type Chain = readonly MintedCertificate[];

/** Returns the certificates that a server sends after its leaf: the intermediates in some order, perhaps with further certificates. */
type Arrange = (intermediates: Chain, root: MintedAuthority) => Chain;

const stranger = (): MintedAuthority => mintAuthority({ commonName: 'Stranger' });

const ORDERS: Readonly<Record<string, Arrange>> = {
  'in order': (all) => all,
  'in reverse order': (all) => all.toReversed(),
  'rotated by one': (all) => [...all.slice(1), ...all.slice(0, 1)],
  'with the last two swapped': (all) => [...all.slice(0, -2), ...all.slice(-2).toReversed()],
  'in order, then the root': (all, root) => [...all, root],
  'after the root': (all, root) => [root, ...all],
  'in reverse order, then the root': (all, root) => [...all.toReversed(), root],
  'in order, then a stranger': (all) => [...all, stranger()],
  'after a stranger': (all) => [stranger(), ...all],
  'with a stranger in between': (all) => [...all.slice(0, 3), stranger(), ...all.slice(3)],
  'in order, then the root and a stranger': (all, root) => [...all, root, stranger()],
  'with the first one twice': (all) => [...all.slice(0, 1), ...all],
  'with the last one twice': (all) => [...all, ...all.slice(-1)],
};

/** Returns a scenario with `count` intermediates. `isRenewed`: one of them is self-issued. */
const chainOf = (order: string, arrange: Arrange, count: number, isRenewed = false): Scenario => ({
  name: `${count} intermediates ${order}${isRenewed ? ', one self-issued' : ''}`,
  mint({ ecdsa }: Roots) {
    let authority: MintedAuthority = ecdsa;
    for (let level = 1; level <= count; level++)
      authority = authority.intermediate({ commonName: `Level ${isRenewed ? Math.max(2, level) : level}` });
    const leaf = authority.issue({ dnsNames: [HOST] });
    return [leaf, ...arrange(leaf.chain, ecdsa)];
  },
});

const reverse: Arrange = (all) => all.toReversed();

/** Servers with many intermediates, in several orders. */
export const ORDER_SCENARIOS: readonly Scenario[] = [
  ...Object.entries(ORDERS).flatMap(([order, arrange]) =>
    [5, 6].map((count) => chainOf(order, arrange, count)),
  ),
  ...[2, 3, 7, 9].map((count) => chainOf('in reverse order', reverse, count)),
  ...[6, 7].map((count) => chainOf('in reverse order', reverse, count, true)),
  {
    name: '6 intermediates in reverse order, and a shorter path',
    mint({ ecdsa, rsa }) {
      let authority: MintedAuthority = ecdsa;
      const levels: MintedAuthority[] = [];
      for (let level = 1; level <= 6; level++) {
        authority = authority.intermediate({ commonName: `Level ${level}` });
        levels.push(authority);
      }
      const leaf = authority.issue({ dnsNames: [HOST] });
      const [, , , short] = levels;
      const crossSigned = rsa.intermediate({ commonName: 'Level 4', ...(short && { key: short.key }) });
      return [leaf, crossSigned, ...leaf.chain.toReversed()];
    },
  },
];
