import type { DomainWire } from '../../../../contract/domain.ts';
import { ExpiryBadge } from '../../../ui/badge.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { DistinguishedName } from '../../../ui/distinguished-name.tsx';
import { LifetimeBar } from '../../../ui/lifetime-bar.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { shortDays } from '../day-and-month.ts';
import { lifetimeOf } from '../lifetime-of.ts';
import { scheduleLine } from '../schedule-word.ts';
import { useCertificateChain } from './chain-query.ts';
import { httpUrl } from './http-url.ts';
import { Fact, Facts, PanelSection } from './panel-section.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { fingerprintText } from './pem.ts';
import { revocationLine } from './revocation-line.ts';

export function CurrentCertificate({ domain, now }: { domain: DomainWire; now: number }) {
  return (
    <PanelSection title="Current Certificate">
      <LifetimeBar lifetime={lifetimeOf(domain)} now={now} />
      <LifetimeLegend domain={domain} now={now} />
      <Facts className="grid-cols-[97px_1fr]">
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
        {domain.fingerprint !== null && <Fact term="Revocation">{revocationLine(domain.revocation)}</Fact>}
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
  const lifetime = lifetimeOf(domain);
  if (!lifetime) return <p className="mt-1.5 mb-4 text-meta text-fg-3">No certificate was read yet.</p>;
  const shortDay = shortDays(lifetime.notBefore, lifetime.notAfter);
  const schedule = scheduleLine(lifetime.notBefore, lifetime.notAfter, now);
  return (
    <div className="num mt-1.5 mb-4 text-meta text-fg-3">
      <div className="flex justify-between gap-3">
        <span>Issued {shortDay(lifetime.notBefore)}</span>
        {lifetime.renewalFrom !== null && (
          <span className="text-center">Renew from {shortDay(lifetime.renewalFrom)}</span>
        )}
        <span className="font-[520] text-fg-2">{shortDay(lifetime.notAfter)}</span>
      </div>
      {schedule && <p className="mt-1 text-fg-2">{schedule}</p>}
    </div>
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
          <CopyButton label="Copy the authority's name" text={domain.authority_full_dn} />
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
