import type { ReactNode } from 'react';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { ExpiryBadge } from '../../../ui/badge.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { DistinguishedName } from '../../../ui/certificate/distinguished-name.tsx';
import { StateMark } from '../../../domain/state-marks.tsx';
import { LifetimeBar } from '../../../ui/certificate/lifetime-bar.tsx';
import { Spinner } from '../../../ui/loading.tsx';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { lifetimeOf } from '../../../domain/remaining-time.tsx';
import { oldCertificateLine } from '../report/address-verdict.ts';
import { type ReportRead, useCertificateChain } from '../report/report-query.ts';
import { httpUrl } from './http-url.ts';
import { Fact, Facts, PanelSection } from '../../../domain/panel-section.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { fingerprintText } from './pem.ts';
import { PROTOCOLS } from '../../../../contract/protocols.ts';
import { type RenewalLine, renewalLines, renewFromLine } from './renewal-line.ts';
import { Revocation } from './revocation.tsx';
import { longDate } from '../../../lib/format.ts';

interface CurrentCertificateProps {
  domain: DomainWire;
  now: number;
  read: ReportRead;
  /** Content at the right of the title. */
  aside?: ReactNode;
}

export function CurrentCertificate({ domain, now, read, aside }: CurrentCertificateProps) {
  const behind = read.report ? oldCertificateLine(domain.fingerprint, read.report.addresses) : null;
  return (
    <PanelSection title="Current Certificate" aside={aside}>
      {behind !== null && <p className="-mt-1.5 mb-2.5 text-meta text-fg-2">{behind}</p>}
      <LifetimeBar lifetime={lifetimeOf(domain, now)} now={now} />
      <LifetimeLegend domain={domain} now={now} />
      <Facts className="grid-cols-[97px_1fr]">
        {domain.protocol !== 'https' && <Fact term="Protocol">{PROTOCOLS[domain.protocol].title}</Fact>}
        {domain.target !== null && <Fact term="Target">{domain.target.summary}</Fact>}
        {domain.issuer !== null && (
          <Fact term="Issuer">
            <bdi>{visibleText(domain.issuer)}</bdi>
          </Fact>
        )}
        {domain.subject !== null && (
          <Fact term="Subject" mono copy={domain.subject}>
            <DistinguishedName text={domain.subject} />
          </Fact>
        )}
        {domain.valid_from !== null && (
          <Fact term="Valid From">
            <Time iso={domain.valid_from} />
          </Fact>
        )}
        {domain.expiry_date !== null && (
          <Fact term="Expires On">
            <span className="flex flex-wrap items-center justify-between gap-x-1.5 gap-y-1.5">
              <Time iso={domain.expiry_date} />
              <ExpiryBadge notAfter={Date.parse(domain.expiry_date)} now={now} />
            </span>
          </Fact>
        )}
        <Fact term="Last Checked">
          <span className="flex flex-wrap items-center gap-x-2">
            {domain.last_checked_at === null ? 'Not yet' : <Time iso={domain.last_checked_at} withTime />}
            {domain.checking && (
              <span className="inline-flex items-center gap-1.5 text-meta text-fg-3">
                <Spinner className="size-3.5" />
                Checking…
              </span>
            )}
          </span>
        </Fact>
        {domain.authority_name !== null && (
          <Fact term="Authority">
            <Authority domain={domain} />
          </Fact>
        )}
        {domain.fingerprint !== null && (
          <Fact term="Revocation">
            <Revocation domain={domain} read={read} />
          </Fact>
        )}
        <Serial domain={domain} />
        {domain.fingerprint !== null && (
          <Fact term="SHA-256" mono copy={fingerprintText(domain.fingerprint)}>
            <Fingerprint hex={domain.fingerprint} />
          </Fact>
        )}
      </Facts>
    </PanelSection>
  );
}

function Serial({ domain }: { domain: DomainWire }) {
  const serial = useCertificateChain(domain.id, domain.fingerprint).data?.[0]?.serial_number;
  if (serial === undefined) return null;
  return (
    <Fact term="Serial" mono copy={serial}>
      {serial}
    </Fact>
  );
}

function LifetimeLegend({ domain, now }: { domain: DomainWire; now: number }) {
  const lifetime = lifetimeOf(domain, now);
  const { weakest_link: weakest } = domain;
  if (!lifetime) return <p className="mt-1.5 mb-4 text-meta text-fg-3">{STATE_NAMES.unread} yet.</p>;
  return (
    <div className="num mt-1.5 mb-4 text-meta text-fg-3">
      <div className="flex flex-wrap justify-between gap-x-3">
        <span>Issued {longDate(lifetime.notBefore)}</span>
        <span className="font-[520] text-fg-2">{longDate(lifetime.notAfter)}</span>
      </div>
      <p className="text-right">{renewFromLine(domain, now)}</p>
      {weakest !== null && (
        <p className="mt-1.5 text-fg-2 [overflow-wrap:anywhere]">
          Limited by {visibleText(weakest.name)}, which expires first, on <Time iso={weakest.expiry_date} />
        </p>
      )}
      {renewalLines(domain, now).map((line) => (
        <RenewalNote key={line.text} line={line} />
      ))}
    </div>
  );
}

function RenewalNote({ line: { text, state, explanationUrl } }: { line: RenewalLine }) {
  const url = httpUrl(explanationUrl);
  return (
    <p className="mt-1.5 flex gap-1.5 text-fg-2 [overflow-wrap:anywhere]">
      {state && <StateMark state={state} className="mt-0.5 size-[13px]" />}
      <span className="min-w-0">
        {text}
        {url !== null && (
          <>
            {'. '}
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className="link font-normal max-md:-my-3 max-md:inline-block max-md:py-3"
            >
              Why
              <span className="sr-only"> {new URL(url).host}</span>
            </a>
          </>
        )}
      </span>
    </p>
  );
}

function Authority({ domain }: { domain: DomainWire }) {
  const url = httpUrl(domain.authority_url);
  return (
    <>
      <bdi>{visibleText(domain.authority_name ?? '')}</bdi>
      {domain.authority_full_dn !== null && (
        <div className="group mt-[3px] flex items-start gap-1">
          <span className="min-w-0 flex-1 font-mono text-[12px]/[18px] text-fg-2">
            <DistinguishedName text={domain.authority_full_dn} />
          </span>
          <CopyButton label="Copy the authority’s name" text={domain.authority_full_dn} />
        </div>
      )}
      {url !== null && (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="link mt-[3px] block w-fit text-meta font-normal max-md:-my-2 max-md:py-[13px]"
        >
          {url}
        </a>
      )}
    </>
  );
}
