import { describe, expect, it } from 'vitest';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import {
  issueLogged,
  type MintedLog,
  mintLog,
  stampCertificate,
} from '../../../tests/kit/certificates/mint-log.ts';
import { timestampExtension } from '../../../tests/kit/certificates/certificate-extensions.ts';
import { parseCertificate } from '../certificate.ts';
import { parsePublicKey, type PublicKey } from '../public-key.ts';
import { WorkBudget } from '../work-budget.ts';
import { parseTimestampList } from './timestamp-list.ts';
import { type DeliveredTimestamps, precertificateBody, verifyTimestamps } from './timestamp-signature.ts';

const AT = Date.UTC(2026, 10, 1);
const root = mintAuthority({ commonName: 'Root' });
const issuer = parseCertificate(root.der);
const log = mintLog('Fjord');
const rsaLog = mintLog('Skerry', { key: 'RSA-2048' });
const staticLog = mintLog('Tarn', { isStatic: true });

const keyOf =
  (...logs: MintedLog[]) =>
  (logId: string): PublicKey | null => {
    const found = logs.find(({ id }) => id.toString('base64') === logId);
    return found ? parsePublicKey(found.key.publicKey.export({ type: 'spki', format: 'der' })) : null;
  };

function embedded(stamps: Parameters<typeof issueLogged>[2], extraBytes = 0): DeliveredTimestamps {
  const comment = { oid: '1.2.3.4', value: Buffer.alloc(extraBytes) };
  const leaf = issueLogged(root, { dnsNames: ['a.example'], extraExtensions: [comment] }, stamps);
  const certificate = parseCertificate(leaf.der);
  return { ...certificate.certificateTimestamps, delivery: 'certificate', certificate, issuer };
}
const verified = (delivered: DeliveredTimestamps, ...logs: MintedLog[]) =>
  verifyTimestamps(delivered, keyOf(...logs), new WorkBudget());

describe('the precertificate of a certificate', () => {
  // Lengths at which DER needs one byte more.
  it.each([0, 20, 90, 150, 220, 300, 65_000, 65_300, 70_000])(
    'is the certificate without its timestamps, with %i other bytes after them',
    (bytes) => {
      const options = {
        dnsNames: ['a.example'],
        key: root.key,
        serialNumber: 7n,
        notBefore: AT,
        notAfter: AT + 1000,
        extraExtensions: [{ oid: '1.2.3.4', value: Buffer.alloc(bytes) }],
      };
      const signed = issueLogged(root, options, [{ log, at: AT }]);
      const body = precertificateBody(parseCertificate(signed.der).signature.signed);
      expect(Buffer.from(body)).toEqual(
        Buffer.from(parseCertificate(root.issue(options).der).signature.signed),
      );
    },
  );
});

describe('timestamps in a certificate', () => {
  it('are valid if the log signed them with P-256 or RSA, with or without extensions', () => {
    const delivered = embedded(
      [log, rsaLog, staticLog].map((one) => ({ log: one, at: AT })),
      400,
    );
    expect(verified(delivered, log, rsaLog, staticLog)).toEqual(['valid', 'valid', 'valid']);
  });

  it('are invalid with another time, another issuer or in another certificate', () => {
    const delivered = embedded([{ log, at: AT }]);
    expect(verified(embedded([{ log, at: AT, isForged: true }]), log)).toEqual(['invalid']);
    const other = parseCertificate(mintAuthority({ commonName: 'Root' }).der);
    expect(verified({ ...delivered, issuer: other }, log)).toEqual(['invalid']);
    const { timestamps } = delivered;
    expect(verified({ ...embedded([]), timestamps }, log)).toEqual(['invalid']);
  });

  it('are invalid with another hash than SHA-256 or another kind of signature than the log’s', () => {
    const delivered = embedded([{ log, at: AT }]);
    const withAlgorithms = (differences: object) =>
      verified(
        {
          ...delivered,
          timestamps: delivered.timestamps.map((one) => ({ ...one, ...differences })),
        },
        log,
      );
    expect(withAlgorithms({})).toEqual(['valid']);
    expect(withAlgorithms({ hashAlgorithm: 5 })).toEqual(['invalid']);
    expect(withAlgorithms({ signatureAlgorithm: 1 })).toEqual(['invalid']);
    expect(withAlgorithms({ signatureAlgorithm: 2 })).toEqual(['invalid']);
  });

  it('cannot be verified without the key of the log', () => {
    const delivered = embedded([
      { log, at: AT },
      { log: rsaLog, at: AT },
    ]);
    expect(verified(delivered, log)).toEqual(['valid', 'unverifiable']);
    expect(verified(delivered, log, rsaLog)).toEqual(['valid', 'valid']);
  });

  it('are not verified beyond the work budget', () => {
    const delivered = embedded([
      { log, at: AT },
      { log: rsaLog, at: AT },
    ]);
    const work = new WorkBudget();
    verifyTimestamps(delivered, keyOf(log, rsaLog), work);
    expect(verifyTimestamps(delivered, keyOf(log, rsaLog), new WorkBudget(work.spent - 1))).toEqual([
      'valid',
      'unverifiable',
    ]);
  });
});

it('timestamps outside the certificate are signed over the certificate itself', () => {
  const leaf = root.issue({ dnsNames: ['a.example'] });
  const stamps = stampCertificate(leaf, [{ log, at: AT }]);
  const { timestamps } = parseTimestampList(timestampExtension(stamps).value);
  const delivered = { timestamps, certificate: parseCertificate(leaf.der), issuer };
  expect(verified({ ...delivered, delivery: 'staple' }, log)).toEqual(['valid']);
  expect(verified({ ...delivered, delivery: 'tls' }, log)).toEqual(['valid']);
  expect(verified({ ...delivered, delivery: 'certificate' }, log)).toEqual(['invalid']);
});
