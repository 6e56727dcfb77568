import { expect, it, onTestFinished } from 'vitest';
import { HOUR_MS } from '../../contract/durations.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { Requester } from '../../server/probe/sources/sources.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { mintCrl } from '../kit/certificates/mint-crl.ts';
import { mintOcspResponse } from '../kit/certificates/mint-ocsp.ts';
import { startCaServer } from '../kit/peers/ca-server.ts';
import { stopTimers } from '../kit/peers/loopback.ts';
import { createLoopbackSources } from '../kit/peers/sources.ts';

const NOW = Date.now();

it('A check may use an OCSP response or CRL that a check of another account fetched, and shows when it was fetched', async () => {
  stopTimers();
  const ca = await startCaServer();
  onTestFinished(() => ca.stop());
  const issuer = mintAuthority();
  const leaf = issuer.issue({
    dnsNames: ['a.test'],
    crlUrls: [`${ca.origin}/leaf.crl`],
    ocspUrls: [`${ca.origin}/ocsp`],
  });
  ca.crl('/leaf.crl', mintCrl(issuer, {}));
  ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf));
  const path = [leaf, issuer].map(({ der }) => parseCertificate(der));
  const check = (
    { revocation }: ReturnType<typeof createLoopbackSources>,
    now: number,
    isThorough: boolean,
  ) => {
    const requester = new Requester('a.test');
    const { signal } = new AbortController();
    return revocation.evidence({
      path,
      sent: [],
      isPublic: true,
      requester,
      staple: null,
      isThorough,
      now,
      signal,
    });
  };

  const later = NOW + HOUR_MS / 2;
  const [alone] = await check(createLoopbackSources(), later, false);
  expect(alone).toMatchObject({ source: 'crl', at: later });
  const shared = createLoopbackSources();
  await check(shared, NOW, true);
  const [crl, ocsp] = await check(shared, later, false);
  expect(crl).toEqual({ ...alone, at: NOW });
  expect(ocsp).toMatchObject({ source: 'ocsp', at: NOW });
});
