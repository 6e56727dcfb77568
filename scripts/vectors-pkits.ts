import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseCertificate } from '../server/pki/certificate.ts';
import { buildPath } from '../server/pki/path.ts';
import { createTrustStore } from '../server/pki/trust-store.ts';
import { parseReadable, toAnswer, type VectorCase } from './vectors-cases.ts';
import { revocationRefusal } from './vectors-revocation.ts';

const pkitsCase = z.object({
  number: z.string(),
  title: z.string(),
  /** File names without their endings: the trust anchor first, the end entity last. */
  certs: z.array(z.string()).min(2),
  crls: z.array(z.string()),
  /** Whether the case sets the initial policies of RFC 5280 §6.1.1, which TLS clients do not offer. */
  special: z.boolean(),
  expected: z.boolean(),
});

/**
 * Reads the NIST Public Key Interoperability Test Suite: `cases.json`, `certs/*.crt` and `crls/*.crl`. A case is accepted if a
 * path is valid and its CRLs show that each certificate below the anchor is good. Throws Error if a file is missing or invalid.
 */
export function readPkitsCases(folder: string): VectorCase[] {
  const cases = z.array(pkitsCase).parse(JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')));
  const certificate = (name: string) => readFileSync(join(folder, 'certs', `${name}.crt`));
  const list = (name: string) => readFileSync(join(folder, 'crls', `${name}.crl`));
  return cases.map(({ number, title, certs, crls, special, expected }) => ({
    id: `pkits::${number} ${title}`,
    features: [],
    expected: expected ? 'accept' : 'reject',
    skipped: special,
    judge: ({ now, profile }) =>
      toAnswer(() => {
        const [anchor = '', ...others] = certs;
        const leaf = parseCertificate(certificate(others.at(-1) ?? ''));
        const context = { now, profile: profile ?? ('tls-client' as const) };
        const intermediates = parseReadable(others.slice(0, -1).map(certificate));
        const result = buildPath({
          leaf,
          intermediates,
          trustStore: createTrustStore([certificate(anchor)]),
          ...context,
        });
        if (!result.ok) return result;
        const revocation = { ...context, needsAll: true, others: intermediates };
        return revocationRefusal(result.path, crls.map(list), revocation) ?? result;
      }),
  }));
}
