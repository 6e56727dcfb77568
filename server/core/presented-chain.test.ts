import { expect, it } from 'vitest';
import { mintAuthority, selfSigned } from '../../tests/kit/mint.ts';
import { splitPem } from '../pki/index.ts';
import { readChain } from './presented-chain.ts';

const root = mintAuthority({ commonName: null, organization: 'Fjord', organizationalUnit: 'Trust' });
const issuing = root.intermediate({ commonName: 'Fjord CA 1' });
const leaf = issuing.issue({ commonName: 'pay.fjord.example', dnsNames: ['pay.fjord.example'] });

it('reads what a server sent, in its order', () => {
  const chain = readChain([leaf.der, issuing.der, root.der]);
  expect(chain.map(({ role, subject, issuer }) => [role, subject, issuer])).toEqual([
    ['leaf', 'pay.fjord.example', 'Fjord CA 1'],
    ['intermediate', 'Fjord CA 1', 'Trust'],
    ['root', 'Trust', 'Trust'],
  ]);
  expect(chain[0]).toMatchObject({
    fingerprint: leaf.fingerprint,
    subjectFullDn: 'CN=pay.fjord.example',
    authorityFullDn: 'CN=Fjord CA 1,O=Certlantern Tests',
    publicKey: 'ECDSA P-256',
    sans: ['pay.fjord.example'],
  });
  expect(splitPem(chain.map(({ pem }) => pem).join('')).map((der) => Buffer.from(der))).toEqual([
    leaf.der,
    issuing.der,
    root.der,
  ]);
});

it('leaves out what is no certificate, and the others keep their parts', () => {
  const broken = leaf.der.subarray(0, 100);
  expect(readChain([broken, issuing.der, broken, root.der]).map(({ role }) => role)).toEqual([
    'intermediate',
    'root',
  ]);
});

it('takes the first one for the leaf, also where it is its own issuer', () => {
  expect(readChain([selfSigned({ dnsNames: ['nas.example'] }).der])).toMatchObject([{ role: 'leaf' }]);
});
