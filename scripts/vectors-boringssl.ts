import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCertificate } from '../server/pki/certificate.ts';
import { PkiError } from '../server/pki/pki-error.ts';
import { crlStatus } from '../server/pki/revocation/crl-status.ts';
import { parseCrl } from '../server/pki/revocation/crl.ts';
import { ocspStatus } from '../server/pki/revocation/ocsp-status.ts';
import type { RevocationStatus } from '../server/pki/revocation/revocation-status.ts';
import type { VectorCase } from './vectors-cases.ts';

/** Times (ms UTC) for which BoringSSL's tests judge CRLs and OCSP responses. */
const CRL_AT = 1_489_017_600_000;
const OCSP_AT = 1_488_672_000_000;

/**
 * Reads the tests of CRLs and OCSP that BoringSSL and Chromium share, from BoringSSL's folder `pki`. We accept a case if the answer proves
 * the certificate good; if the certificate is revoked, every result but `revoked` counts as accepted. Throws Error if a file is missing.
 */
export function readBoringsslCases(folder: string): VectorCase[] {
  const data = join(folder, 'testdata');
  const crls = readdirSync(join(data, 'crl_unittest')).filter((name) => name.endsWith('.pem'));
  const expectations = readFileSync(join(folder, 'ocsp_unittest.cc'), 'utf8').matchAll(
    /\{"(\w+\.pem)",\s*OCSPRevocationStatus::(\w+)/g,
  );
  return [
    ...crls.map((name) =>
      toCase(`crl::${name}`, name.replace(/_.*|\.pem$/, ''), join(data, 'crl_unittest', name), crlAnswer),
    ),
    ...[...expectations].map(([, name = '', status = '']) =>
      toCase(`ocsp::${name}`, status.toLowerCase(), join(data, 'ocsp_unittest', name), ocspAnswer),
    ),
  ];
}

type Blocks = (label: string) => Buffer | undefined;

function toCase(
  id: string,
  expected: string,
  file: string,
  ask: (blocks: Blocks) => RevocationStatus,
): VectorCase {
  const isRevoked = expected === 'revoked';
  return {
    id,
    features: [],
    expected: expected === 'good' ? 'accept' : 'reject',
    skipped: false,
    judge() {
      const status = stateOf(() => ask(blocksOf(file)));
      const isAccepted = isRevoked ? status !== 'revoked' : status === 'good';
      return { answer: isAccepted ? 'accept' : 'reject', reason: status };
    },
  };
}

function stateOf(ask: () => RevocationStatus): string {
  try {
    const answer = ask();
    return answer.state === 'none' ? answer.why : answer.state;
  } catch (error) {
    if (error instanceof PkiError) return error.message;
    throw error;
  }
}

function blocksOf(file: string): Blocks {
  const blocks = readFileSync(file, 'utf8').matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]+)-----END/g);
  const byLabel = new Map([...blocks].map(([, label, text = '']) => [label, Buffer.from(text, 'base64')]));
  return (label) => byLabel.get(label);
}

const certificateOf = (blocks: Blocks, label: string) => parseCertificate(blocks(label) ?? Buffer.alloc(0));

function crlAnswer(blocks: Blocks): RevocationStatus {
  const certificate = certificateOf(blocks, 'CERTIFICATE');
  const above = ['CA CERTIFICATE', 'CA CERTIFICATE 2'].flatMap((label) => blocks(label) ?? []);
  return crlStatus({
    crl: parseCrl(blocks('CRL') ?? Buffer.alloc(0)),
    certificate,
    signers: above.map(parseCertificate),
    // The tests limit the age of a CRL, as Chromium does for certificates below public roots.
    isPublic: true,
    url: certificate.crlDistributionPoints[0]?.uris[0] ?? null,
    now: CRL_AT,
  });
}

function ocspAnswer(blocks: Blocks): RevocationStatus {
  return ocspStatus({
    response: blocks('OCSP RESPONSE') ?? Buffer.alloc(0),
    certificate: certificateOf(blocks, 'CERTIFICATE'),
    issuer: certificateOf(blocks, 'CA CERTIFICATE'),
    // The tests sign responses with SHA-1, which Chromium accepts. Public CAs may not use SHA-1, so the responder counts as
    // private.
    isPublic: false,
    now: OCSP_AT,
  });
}
