import { expect, it } from 'vitest';
import { longValidity, NOW, root, trustStore } from '../../../tests/kit/certificates/judging.ts';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { type Certificate, parseCertificate } from '../../pki/certificate.ts';
import { buildPath } from '../../pki/path.ts';
import { WorkBudget } from '../../pki/work-budget.ts';
import { unorderedRefusals } from './unordered-chain.ts';

const parse = ({ der }: { der: Uint8Array }): Certificate => parseCertificate(der);
const stranger = parse(mintAuthority({ commonName: 'Stranger', ...longValidity }));

function chainOf(count: number): Certificate[] {
  let authority = root;
  for (let level = 0; level < count; level++)
    authority = authority.intermediate({ commonName: `Level ${level}`, ...longValidity });
  const leaf = authority.issue(longValidity);
  return [leaf, ...leaf.chain].map(parse);
}

/** Returns the clients that each finding names, if a server sends these certificates after its leaf. */
function refusing(leaf: Certificate, sent: readonly Certificate[]): unknown {
  const seen = { leaf, sent, trustStore, now: NOW, work: new WorkBudget() };
  const found = buildPath({ ...seen, intermediates: sent });
  if (!found.ok) throw new Error('the path is not valid');
  return unorderedRefusals(seen, found.path, 'https').map(({ clients }) => clients);
}

it.each([2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'Java refuses intermediates in reverse order only if there are more than five, as with %i',
  (count) => {
    const [leaf, ...sent] = chainOf(count);
    if (leaf === undefined) throw new Error('no leaf');
    expect(refusing(leaf, sent)).toEqual([]);
    expect(refusing(leaf, sent.toReversed())).toEqual(count > 5 ? [['java']] : []);
    expect(refusing(leaf, [...sent.slice(1), ...sent.slice(0, 1)])).toEqual(count > 5 ? [['java']] : []);
  },
);

it.each([
  ['an unrelated one at the end', (all) => [...all, stranger], true],
  ['an unrelated one in between', (all) => all.toSpliced(3, 0, stranger), true],
  ['the first intermediate twice', (all) => [...all.slice(0, 1), ...all], true],
  ['the root at the end', (all) => [...all, parse(root)], false],
  ['the root and an unrelated one at the end', (all) => [...all, parse(root), stranger], false],
] satisfies [string, (all: Certificate[]) => Certificate[], boolean][])(
  'Java refuses six intermediates if a certificate that does not belong there comes before the trusted one: %s',
  (_, arrange, isRefused) => {
    const [leaf, ...sent] = chainOf(6);
    if (leaf === undefined) throw new Error('no leaf');
    expect(refusing(leaf, arrange(sent))).toEqual(isRefused ? [['java']] : []);
  },
);

it('Java accepts six intermediates in reverse order if a shorter path is among them', () => {
  const levels = [root];
  for (let level = 0; level < 6; level++)
    levels.push(levels[level]?.intermediate({ commonName: `Level ${level}`, ...longValidity }) ?? root);
  const [fourth, last] = [levels[4] ?? root, levels[6] ?? root];
  const leaf = last.issue(longValidity);
  const short = root.intermediate({ commonName: 'Level 3', key: fourth.key, ...longValidity });
  expect(refusing(parse(leaf), [...leaf.chain.toReversed(), short].map(parse))).toEqual([]);
});
