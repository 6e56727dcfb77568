import type { ChainCertificateWire } from '../../../../contract/domain.ts';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { DistinguishedName } from '../../../ui/certificate/distinguished-name.tsx';
import { Time } from '../../../ui/time.tsx';
import { DownloadButton } from './download-button.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { Fact, Facts } from '../../../domain/panel-section.tsx';
import { fingerprintText, pemOf } from './pem.ts';
import { SubjectAltNames } from './san-list.tsx';

interface CertificateFactsProps {
  certificate: ChainCertificateWire;
  fileName: string;
}

/** Shows the facts and the PEM of a certificate of the chain. */
export function CertificateFacts({ certificate, fileName }: CertificateFactsProps) {
  const pem = pemOf([certificate]);
  return (
    <>
      <Facts className="mt-2.5 mb-3 grid-cols-[74px_1fr]">
        <Fact term="Subject" mono copy={certificate.subject_full_dn}>
          <DistinguishedName text={certificate.subject_full_dn} />
        </Fact>
        <Fact term="Issuer" mono copy={certificate.issuer_full_dn}>
          <DistinguishedName text={certificate.issuer_full_dn} />
        </Fact>
        <Fact term="Serial" mono copy={certificate.serial_number}>
          {certificate.serial_number}
        </Fact>
        <Fact term="Key">{certificate.public_key}</Fact>
        <Fact term="Valid From">
          <Time iso={certificate.valid_from} />
        </Fact>
        <Fact term="Expires On">
          <Time iso={certificate.expiry_date} />
        </Fact>
        <Fact term="SHA-256" mono copy={fingerprintText(certificate.fingerprint)}>
          <Fingerprint hex={certificate.fingerprint} />
        </Fact>
        {certificate.sans.length > 0 && (
          <Fact term="Names">
            <div className="-mt-[7px]">
              <SubjectAltNames names={certificate.sans} />
            </div>
          </Fact>
        )}
      </Facts>
      <div className="flex flex-wrap gap-2">
        <CopyTextButton label="Copy PEM" text={pem} />
        <DownloadButton label="Download PEM" fileName={fileName} text={pem} />
      </div>
    </>
  );
}
