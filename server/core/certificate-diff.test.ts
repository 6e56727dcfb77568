import { describe, expect, it } from 'vitest';
import { DAY, intermediate, issue, NOW, root } from '../../tests/kit/certificates/judging.ts';
import { mintKey } from '../../tests/kit/certificates/mint.ts';
import { parseCertificate } from '../pki/certificate.ts';
import { certificateDiff } from './certificate-diff.ts';

const read = ({ der }: { der: Uint8Array }) => parseCertificate(der);
const key = mintKey();

describe('certificateDiff', () => {
  it('reports for a plain renewal only whether the key is the same', () => {
    expect(certificateDiff(read(issue()), read(issue()))).toEqual({
      namesAdded: [],
      namesLost: [],
      issuer: null,
      subject: null,
      key: null,
      sameKey: false,
      lifetimeDays: null,
      signatureAlgorithm: null,
    });
    expect(certificateDiff(read(issue({ key })), read(issue({ key }))).sameKey).toBe(true);
  });

  it('lists added and lost names, and the old and new value of everything else', () => {
    const before = issue({ dnsNames: ['a.example', 'b.example'], commonName: 'a.example', key });
    const after = root.issue({
      dnsNames: ['b.example', 'c.example'],
      commonName: 'b.example',
      key: 'RSA-2048',
      hash: 'sha384',
      notBefore: NOW,
      notAfter: NOW + 47 * DAY,
    });
    expect(certificateDiff(read(before), read(after))).toMatchObject({
      namesAdded: ['c.example'],
      namesLost: ['a.example'],
      issuer: { from: 'Fjord CA 1', to: 'Fjord Root' },
      subject: { from: 'a.example', to: 'b.example' },
      key: { from: 'ECDSA P-256', to: 'RSA 2048 bit' },
      sameKey: false,
      lifetimeDays: { from: 90, to: 47 },
      signatureAlgorithm: { from: read(before).signatureAlgorithm, to: read(after).signatureAlgorithm },
    });
    expect(certificateDiff(read(before), read(intermediate)).lifetimeDays?.to).toBe(4000);
  });
});
