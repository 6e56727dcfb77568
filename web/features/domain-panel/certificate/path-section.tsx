import type { ReportWire } from '../../../../contract/domain-report.ts';
import type { ChainCertificateWire, DomainWire } from '../../../../contract/domain.ts';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { DistinguishedName } from '../../../ui/certificate/distinguished-name.tsx';
import { Time } from '../../../ui/time.tsx';
import { CertificateFacts } from './certificate-facts.tsx';
import { useCertificateChain } from '../report/report-query.ts';
import { Chevron, FoldedSection } from '../../../domain/disclosure.tsx';
import { DownloadButton } from './download-button.tsx';
import { SectionError } from '../../../domain/section-error.tsx';
import { pathLine, type PathRow, pathRows, sentLine } from './path-rows.ts';
import { pemFileName, pemOf } from './pem.ts';
import { LoadingRows, TimelineItem } from './timeline.tsx';

/** Shows the path from the leaf to a trust anchor, the source of each certificate, and what the host sent. */
export function PathSection({ domain, report }: { domain: DomainWire; report: ReportWire }) {
  const chain = useCertificateChain(domain.id, domain.fingerprint);
  if (domain.fingerprint === null) return null;
  return (
    <FoldedSection title="Path" line={pathLine(report.path, domain)} isOpen>
      {chain.data ? (
        <Path
          path={report.path}
          chain={chain.data}
          hostname={domain.hostname}
          isPast={domain.unreachable !== null}
        />
      ) : chain.isError ? (
        <SectionError title="Could not load the chain" note="Checks continue." read={chain} />
      ) : (
        <LoadingRows text="Loading certificate chain..." />
      )}
    </FoldedSection>
  );
}

interface PathProps {
  path: ReportWire['path'];
  chain: ChainCertificateWire[];
  hostname: string;
  /** True if the last check read no certificate, so that this is the last known chain. */
  isPast: boolean;
}

function Path({ path, chain, hostname, isPast }: PathProps) {
  const rows = pathRows(path, chain);
  return (
    <>
      <Rows rows={rows.path} hostname={hostname} label="From the leaf to the trust anchor" />
      <h4 className="mt-4 text-label font-semibold first:mt-0">
        Certificate chain, as {isPast ? 'last seen' : 'sent'}
      </h4>
      <p className="mt-0.5 text-label text-fg-2 [overflow-wrap:anywhere]">
        {chain.length === 0
          ? 'We no longer keep the certificates of this check. The history says why.'
          : sentLine(rows, isPast)}
      </p>
      {rows.others.length > 0 && (
        <div className="mt-3">
          <Rows
            rows={rows.others}
            hostname={hostname}
            label={path.length > 0 ? 'Sent, but not on the path' : isPast ? 'As last seen' : 'As sent'}
          />
        </div>
      )}
      {chain.length > 1 && (
        <div className="mt-3 flex flex-wrap gap-2">
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

interface RowsProps {
  rows: PathRow[];
  hostname: string;
  label: string;
}

function Rows({ rows, hostname, label }: RowsProps) {
  if (rows.length === 0) return null;
  return (
    <ol aria-label={label}>
      {rows.map((row, index) => (
        <TimelineItem key={index} isCurrent={index === 0}>
          {row.certificate === null ? (
            <RowHead row={row} />
          ) : (
            <details>
              <summary className="-my-1 flex min-h-11 cursor-pointer list-none items-start gap-2 rounded-2 py-1 md:min-h-0 [&::-webkit-details-marker]:hidden hover:bg-sunken">
                <RowHead row={row} />
                <Chevron className="mt-0.5" />
              </summary>
              <CertificateFacts
                certificate={row.certificate}
                fileName={pemFileName(hostname, row.sentAt ?? 0)}
              />
            </details>
          )}
        </TimelineItem>
      ))}
    </ol>
  );
}

function RowHead({ row: { entry, certificate } }: { row: PathRow }) {
  const until = entry?.expiry_date ?? certificate?.expiry_date;
  return (
    <span className="block min-w-0 flex-1">
      <span className="block font-mono text-[12.5px]/5 font-[560] [overflow-wrap:anywhere]">
        <DistinguishedName text={certificate?.subject ?? entry?.name ?? ''} />
      </span>
      <span className="num block text-meta text-fg-3">
        {entry ? ROLES[entry.role] : certificate && ROLES[certificate.role]}
        {entry && entry.role !== 'leaf' && `, ${SOURCES[entry.source]}`}
        {until !== undefined && (
          <>
            {' · until '}
            <Time iso={until} />
          </>
        )}
      </span>
    </span>
  );
}

const ROLES: Record<PathRoleName, string> = {
  leaf: 'Leaf',
  intermediate: 'Intermediate',
  anchor: 'Root',
  root: 'Root',
};
type PathRoleName = ReportWire['path'][number]['role'] | ChainCertificateWire['role'];

const SOURCES: Record<ReportWire['path'][number]['source'], string> = {
  sent: 'sent',
  cache: 'not sent, seen elsewhere',
  fetched: 'not sent, fetched from its CA',
  trust_store: 'from the trust store',
};
