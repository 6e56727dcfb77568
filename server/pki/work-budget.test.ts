import { describe, expect, it } from 'vitest';
import { mintAuthority, type MintedCertificate } from '../../tests/kit/certificates/mint.ts';
import { parseCertificate } from './certificate.ts';
import { WorkBudget } from './work-budget.ts';

const root = mintAuthority();

/** Returns the work units for the handshake with a server that sends these certificates. */
function handshakeWork(chain: readonly MintedCertificate[], bytes?: number): number {
  const work = new WorkBudget(10_000_000);
  const parsed = chain.map(({ der }) => parseCertificate(der));
  work.spendHandshake(parsed, bytes ?? chain.reduce((sum, { der }) => sum + der.length, 0));
  return work.spent;
}

describe('the work of a handshake', () => {
  const intermediate = root.intermediate({ key: 'P-384' });
  const leaf = intermediate.issue({ dnsNames: ['site.test'] });

  it('includes verifying with the keys of possible issuers, but not with those of unrelated certificates', () => {
    const strangers = Array.from({ length: 20 }, (_, index) =>
      mintAuthority({ commonName: `Stranger ${index}`, key: 'P-384' }),
    );
    expect(handshakeWork([leaf, intermediate])).toBeGreaterThan(0);
    expect(handshakeWork([leaf, ...strangers, intermediate])).toBe(handshakeWork([leaf, intermediate]));
  });

  it('includes comparing names with constraints, but not the size of a chain without constraints', () => {
    const large = intermediate.issue({
      dnsNames: Array.from({ length: 4_000 }, (_, index) => `host${index}.site.test`),
    });
    expect(handshakeWork([large, intermediate])).toBe(handshakeWork([leaf, intermediate]));
    const constrained = root.intermediate({ permitted: { dns: ['site.test', 'example'] } });
    expect(handshakeWork([constrained.issue(), constrained])).toBeLessThan(
      handshakeWork([large, constrained]),
    );
  });

  it('is estimated from the whole size if a certificate cannot be read', () => {
    const work = new WorkBudget(10_000_000);
    work.spendHandshake([parseCertificate(leaf.der), null], 100_000);
    expect(work.spent).toBe(1_000_000);
  });
});
