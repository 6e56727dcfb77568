import { Fragment } from 'react';
import type { ReactNode } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { ExpiryBadge } from '../../../ui/badge.tsx';
import { LifetimeBar } from '../../../ui/lifetime-bar.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { Time } from '../../../ui/time.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { shortDays } from '../day-and-month.ts';
import { httpUrl } from './http-url.ts';
import { lifetimeOf } from '../lifetime-of.ts';
import { PanelSection } from './panel-section.tsx';
import { revocationLine } from './revocation-line.ts';
import { scheduleWord } from '../schedule-word.ts';

export function CurrentCertificate({ domain, now }: { domain: DomainWire; now: number }) {
  return (
    <PanelSection title="Current Certificate">
      <LifetimeBar lifetime={lifetimeOf(domain)} now={now} />
      <LifetimeLegend domain={domain} now={now} />
      <dl className="grid grid-cols-[97px_1fr] gap-y-[9px] text-[13px]/5">
        {domain.issuer !== null && <Row term="Issuer">{domain.issuer}</Row>}
        {domain.subject !== null && (
          <Row term="Subject">
            <span className="font-mono text-[12.5px]">{domain.subject}</span>
          </Row>
        )}
        {domain.valid_from !== null && (
          <Row term="Valid From">
            <Time iso={domain.valid_from} />
          </Row>
        )}
        {domain.expiry_date !== null && (
          <Row term="Expires On">
            <span className="flex flex-wrap items-center justify-between gap-x-1.5 gap-y-1.5">
              <Time iso={domain.expiry_date} />
              <ExpiryBadge notAfter={Date.parse(domain.expiry_date)} now={now} />
            </span>
          </Row>
        )}
        <Row term="Last Checked">
          <span className="flex flex-wrap items-center gap-x-2">
            {domain.last_checked_at === null ? 'Not yet' : <Time iso={domain.last_checked_at} withTime />}
            {domain.checking && (
              <span className="inline-flex items-center gap-1.5 text-meta text-fg-3">
                <Spinner className="size-3.5" />
                Checking…
              </span>
            )}
          </span>
        </Row>
        {domain.authority_name !== null && (
          <Row term="Authority">
            <Authority domain={domain} />
          </Row>
        )}
        {domain.fingerprint !== null && <Row term="Revocation">{revocationLine(domain.revocation)}</Row>}
      </dl>
    </PanelSection>
  );
}

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{term}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

function LifetimeLegend({ domain, now }: { domain: DomainWire; now: number }) {
  const lifetime = lifetimeOf(domain);
  if (!lifetime) return <p className="mt-1.5 mb-4 text-meta text-fg-3">No certificate was read yet.</p>;
  const shortDay = shortDays(lifetime.notBefore, lifetime.notAfter);
  const schedule = scheduleWord(lifetime.notBefore, lifetime.notAfter, now);
  const renewal = lifetime.renewalFrom === null ? null : `Renew from ${shortDay(lifetime.renewalFrom)}`;
  const middle = [renewal, schedule].filter((part) => part !== null).join(', ');
  return (
    <div className="num mt-1.5 mb-4 flex justify-between gap-3 text-meta text-fg-3">
      <span>Issued {shortDay(lifetime.notBefore)}</span>
      {middle && <span className="text-center">{middle}</span>}
      <span className="font-[520] text-fg-2">{shortDay(lifetime.notAfter)}</span>
    </div>
  );
}

/** A name after RFC 4514, which has no spaces at its commas: it breaks there first. */
function DistinguishedName({ text }: { text: string }) {
  return text.split(/(?<=[^\\],)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

function Authority({ domain }: { domain: DomainWire }) {
  const url = httpUrl(domain.authority_url);
  return (
    <>
      {domain.authority_name}
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
