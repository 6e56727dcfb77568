import { getCACertificates } from 'node:tls';

import { createTrustStore, extendTrustStore, splitPem } from '../pki/index.ts';
import type { TrustStore } from '../pki/index.ts';

/**
 * The roots that a verdict starts from: Mozilla's set as bundled with Node, plus the operator's own anchors in PEM.
 * Never the system's store or NODE_EXTRA_CA_CERTS: the same observation must give the same verdict on every machine.
 * @throws PkiError when the operator's PEM cannot be read.
 */
export function loadTrustStore(extraCaPem: string | null): TrustStore {
  const bundled = getCACertificates('bundled').flatMap((pem) => splitPem(pem));
  const roots = createTrustStore(bundled, { arePublic: true });
  return extraCaPem === null ? roots : extendTrustStore(roots, splitPem(extraCaPem));
}
