import type { ChainCertificateWire } from '../../../contract/domain.ts';
import type { PresentedCertificate } from '../../core/index.ts';

/** A certificate of a chain as the wire has it. */
export function chainCertificateWire(certificate: PresentedCertificate): ChainCertificateWire {
  return {
    fingerprint: certificate.fingerprint,
    role: certificate.role,
    subject: certificate.subject,
    subject_full_dn: certificate.subjectFullDn,
    issuer: certificate.issuer,
    issuer_full_dn: certificate.authorityFullDn,
    serial_number: certificate.serialNumber,
    valid_from: new Date(certificate.notBefore).toISOString(),
    expiry_date: new Date(certificate.notAfter).toISOString(),
    public_key: certificate.publicKey,
    sans: certificate.sans,
    pem: certificate.pem,
  };
}
