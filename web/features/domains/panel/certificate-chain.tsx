import { ChevronDown, Download } from 'lucide-react';
import type { ChainCertificateWire, DomainWire } from '../../../../contract/domain.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { DistinguishedName } from '../../../ui/distinguished-name.tsx';
import { Time } from '../../../ui/time.tsx';
import { useCertificateChain } from './chain-query.ts';
import { Fact, Facts, PanelSection, SectionError } from './panel-section.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { fingerprintText, pemFileName, pemOf } from './pem.ts';
import { SubjectAltNames } from './san-list.tsx';
import { LoadingRows, TimelineItem } from './timeline.tsx';

const ROLES: Record<ChainCertificateWire['role'], string> = {
  leaf: 'Leaf',
  intermediate: 'Intermediate',
  root: 'Root',
};

/** What the host sent with its certificate, each with its facts and its PEM; nothing before a certificate was read. */
export function CertificateChain({ domain }: { domain: DomainWire }) {
  const chain = useCertificateChain(domain.id, domain.fingerprint);
  if (domain.fingerprint === null) return null;
  return (
    <PanelSection title="Certificate chain" aside={chain.data?.length || undefined}>
      {chain.data ? (
        <Chain chain={chain.data} hostname={domain.hostname} />
      ) : chain.isError ? (
        <SectionError
          title="Could not load the chain"
          error={chain.error}
          isRetrying={chain.isFetching}
          onRetry={() => void chain.refetch()}
        />
      ) : (
        <LoadingRows text="Loading certificate chain..." />
      )}
    </PanelSection>
  );
}

function Chain({ chain, hostname }: { chain: ChainCertificateWire[]; hostname: string }) {
  if (chain.length === 0) return <p className="text-label text-fg-2">No certificate was read yet.</p>;
  return (
    <>
      <ol>
        {chain.map((certificate, index) => (
          <TimelineItem key={index} isCurrent={index === 0}>
            <ChainEntry certificate={certificate} fileName={pemFileName(hostname, index)} />
          </TimelineItem>
        ))}
      </ol>
      {chain.length > 1 && (
        <div className="mt-4 flex flex-wrap gap-2 border-t border-line pt-4">
          <CopyTextButton label="Copy whole chain" text={pemOf(chain)} />
          <DownloadButton
            label="Download whole chain"
            fileName={pemFileName(hostname, 'chain')}
            text={pemOf(chain)}
          />
        </div>
      )}
    </>
  );
}

interface ChainEntryProps {
  certificate: ChainCertificateWire;
  fileName: string;
}

function ChainEntry({ certificate, fileName }: ChainEntryProps) {
  const pem = pemOf([certificate]);
  return (
    <details className="group/entry">
      <summary className="-my-1 flex min-h-11 list-none items-start gap-2 rounded-2 py-1 [&::-webkit-details-marker]:hidden lg:min-h-0 hover:bg-sunken cursor-pointer">
        <span className="min-w-0 flex-1">
          <span className="block font-mono text-[12.5px]/5 font-[560] [overflow-wrap:anywhere]">
            <DistinguishedName text={certificate.subject} />
          </span>
          <span className="num block text-meta text-fg-3">
            {ROLES[certificate.role]} · until <Time iso={certificate.expiry_date} />
          </span>
        </span>
        <ChevronDown
          className="mt-0.5 size-4 flex-none text-fg-3 transition-[rotate] duration-120 group-open/entry:rotate-180"
          strokeWidth={1.6}
          aria-hidden="true"
        />
      </summary>
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
    </details>
  );
}

function DownloadButton({ label, fileName, text }: { label: string; fileName: string; text: string }) {
  return (
    <Button
      variant="outline"
      size="small"
      onClick={() => saveFile(fileName, new Blob([text], { type: 'application/x-pem-file' }))}
    >
      <Download className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
      {label}
    </Button>
  );
}
