import { shownIssuer } from '../../domain/domain-lines.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CertificateStory } from '../../../contract/calls/certificate.ts';
import { inSentence, STATE_NAMES } from '../../../contract/state/state-words.ts';
import { ApiError } from '../../lib/api-error.ts';
import { counted, grouped } from '../../lib/format.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { CopyTextButton } from '../../ui/copy-button.tsx';
import { LifetimeBar } from '../../ui/certificate/lifetime-bar.tsx';
import { ProgressBar, Skeleton } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Time } from '../../ui/time.tsx';
import { SectionError } from '../../domain/section-error.tsx';
import { DomainName } from '../../domain/domain-name.tsx';
import { CertificateBadges, lifetimeOfCertificate, RenewalNote } from './certificate-parts.tsx';
import { useCertificateStory } from './certificate-queries.ts';

/** Shows one certificate: where it is served, which domains still serve an earlier one, and what it replaced. */
export function CertificatePage({ fingerprint }: { fingerprint: string }) {
  usePageTitle('Certificate');
  const read = useCertificateStory(fingerprint);
  const { data, error } = read;
  const [first] = data?.pages ?? [];
  const isUnknown = error instanceof ApiError && [400, 404, 422].includes(error.status);
  return (
    <div className="wrap-text pt-6 pb-14 md:pt-9">
      <Link to="/certificates" className="link text-label">
        All certificates
      </Link>
      {first ? (
        <Story
          story={{ ...first.data, domains: data?.pages.flatMap((page) => page.data.domains) ?? [] }}
          fingerprint={fingerprint}
          more={
            read.hasNextPage && (
              <Button
                variant="outline"
                className="mt-3"
                busy={read.isFetchingNextPage}
                onClick={() => void read.fetchNextPage()}
              >
                Show more domains
              </Button>
            )
          }
        />
      ) : (
        <>
          <h1 tabIndex={-1} className="mt-2 text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
            Certificate
          </h1>
          {isUnknown ? (
            <p className="mt-3 text-body text-fg-2">No domain of yours has served this certificate.</p>
          ) : error ? (
            <SectionError title="Could not load the certificate" note="Checks continue." read={read} />
          ) : (
            <div aria-busy="true" className="mt-4 min-h-screen">
              <span className="sr-only">Loading the certificate...</span>
              <Skeleton className="h-40 w-full" />
            </div>
          )}
        </>
      )}
    </div>
  );
}

type StoryDomain = CertificateStory['domains'][number];

interface StoryProps {
  story: CertificateStory;
  fingerprint: string;
}

/** `more` is the button that loads more domains. Domains that have changed to the certificate come last. */
function Story({ story, fingerprint, more }: StoryProps & { more: ReactNode }) {
  const { certificate, names, domains, versions } = story;
  const serving = domains.filter(({ is_serving: isServing }) => isServing);
  const ahead = domains.filter(({ is_done: isDone, is_serving: isServing }) => isDone && !isServing);
  return (
    <>
      <h1
        tabIndex={-1}
        className="mt-2 font-mono text-[19px]/[25px] font-semibold [overflow-wrap:anywhere] md:text-[22px]/[28px]"
      >
        {certificate?.display_name || names[0] || 'Certificate'}
      </h1>
      {certificate ? (
        <Lifetime certificate={certificate} />
      ) : (
        <p className="mt-3 text-body text-fg-2">No domain serves it any more.</p>
      )}
      <Renewal story={story} fingerprint={fingerprint} />
      <Part title={`Served by ${counted(certificate?.domain_count ?? 0, 'domain')}`}>
        <Domains domains={serving} fingerprint={fingerprint} />
        {ahead.length === 0 && more}
      </Part>
      {ahead.length > 0 && (
        <Part title="Changed to a later certificate">
          <Domains domains={ahead} fingerprint={fingerprint} />
          {more}
        </Part>
      )}
      {versions.length > 1 && <Versions story={story} fingerprint={fingerprint} />}
      <Part title="Names">
        <p className="font-mono text-label text-fg-2 [overflow-wrap:anywhere]">{names.join(', ')}</p>
      </Part>
      <Part title="SHA-256 fingerprint">
        <div className="flex items-start gap-2">
          <code className="min-w-0 flex-1 text-label text-fg-2 [overflow-wrap:anywhere]">{fingerprint}</code>
          <CopyTextButton label="Copy" text={fingerprint} />
        </div>
      </Part>
    </>
  );
}

/** Shows the state, the issuer and the time left of a certificate that is served. */
function Lifetime({ certificate }: { certificate: NonNullable<CertificateStory['certificate']> }) {
  const now = useNow();
  return (
    <div className="mt-4">
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-label text-fg-2">
        <CertificateBadges certificate={certificate} now={now} />
        <span>{shownIssuer(certificate)}</span>
        <RenewalNote certificate={certificate} now={now} />
      </p>
      <LifetimeBar lifetime={lifetimeOfCertificate(certificate, now)} now={now} />
      <p className="num mt-1.5 flex flex-wrap justify-between gap-x-3 text-meta text-fg-3">
        <Time iso={certificate.valid_from} />
        <Time iso={certificate.expiry_date} className="font-[520] text-fg-2" />
      </p>
    </div>
  );
}

/** Shows how many domains changed from an earlier certificate to this one, and which have not. */
function Renewal({ story: { domains, done, total, versions }, fingerprint }: StoryProps) {
  const now = useNow();
  const own = versions.find((version) => version.fingerprint === fingerprint);
  const hasPredecessor = versions.some(({ valid_from: from }) => own !== undefined && from < own.valid_from);
  if (!own || !hasPredecessor || total === 0) return null;
  const lagging = domains.filter(({ is_done: isDone }) => !isDone);
  return (
    <Part title="Renewal">
      {Date.parse(own.expiry_date) <= now ? (
        <p className="text-body">
          This certificate expired on <Time iso={own.expiry_date} />.{' '}
          {own.domain_count === 0
            ? 'No domain serves it any more.'
            : `${counted(own.domain_count, 'domain')} still ${own.domain_count === 1 ? 'serves' : 'serve'} it.`}
        </p>
      ) : (
        <>
          <p className="mb-2 text-body">
            <b className="num font-semibold">
              {grouped(done)} of {grouped(total)}
            </b>{' '}
            {total === 1 ? 'domain has' : 'domains have'} changed to this certificate on all addresses
            {done < total ? '.' : ': done.'}
          </p>
          <ProgressBar label="Domains that have changed" value={done} max={total} />
        </>
      )}
      {lagging.length > 0 && (
        <>
          <p className="mt-4 mb-1 text-label font-[520]">Still on an earlier certificate</p>
          <Domains domains={lagging} fingerprint={fingerprint} />
        </>
      )}
    </Part>
  );
}

function Versions({ story: { versions, version_count: versionCount }, fingerprint }: StoryProps) {
  return (
    <Part title="Certificates with the same names">
      <ul className="grid gap-2.5">
        {versions.map((version) => (
          <li key={version.fingerprint} className="text-label text-fg-2">
            {version.fingerprint === fingerprint ? (
              <b className="font-[560] text-fg">This certificate</b>
            ) : (
              <Link to="/certificates" search={{ certificate: version.fingerprint }} className="link">
                Valid from <Time iso={version.valid_from} />
              </Link>
            )}{' '}
            until <Time iso={version.expiry_date} />, {version.issuer},{' '}
            {version.domain_count === 0
              ? 'no longer served'
              : `served by ${counted(version.domain_count, 'domain')}`}
          </li>
        ))}
        {versionCount > versions.length && (
          <li className="text-label text-fg-2">and {grouped(versionCount - versions.length)} older ones</li>
        )}
      </ul>
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-7 border-t border-line pt-5">
      <h2 className="mb-2 text-[15px]/5 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function Domains({ domains, fingerprint }: { domains: readonly StoryDomain[]; fingerprint: string }) {
  return (
    <ul className="grid">
      {domains.map((domain) => (
        <li
          key={domain.id}
          className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-line py-2 text-label last:border-b-0"
        >
          <DomainName domain={domain} />
          <span className="text-meta text-fg-3">{changeNote(domain, fingerprint)}</span>
          {domain.addresses.length > 0 && (
            <span className="w-full font-mono text-meta text-fg-3 [overflow-wrap:anywhere]">
              {addressList(domain, fingerprint)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

const MAX_ADDRESSES = 6;

/** Returns up to six addresses of a domain, each with a note. Addresses that do not serve the page's certificate come first. */
function addressList({ addresses, serves, is_serving: isServing }: StoryDomain, fingerprint: string): string {
  const wanted = [isServing ? fingerprint : serves];
  const noted = addresses.map((seen) => {
    if (seen.serves === null) return `${seen.address} (${inSentence(STATE_NAMES.unread)})`;
    return wanted.includes(seen.serves) ? seen.address : `${seen.address} (another certificate)`;
  });
  const others = noted.filter((text) => text.includes(' '));
  const named = [...others, ...noted.filter((text) => !text.includes(' '))].slice(0, MAX_ADDRESSES);
  const more = noted.length - named.length;
  return named.join(', ') + (more === 0 ? '' : ` and ${grouped(more)} more`);
}

/** Says whether and when a domain changed to the certificate. */
function changeNote(domain: StoryDomain, fingerprint: string): ReactNode {
  if (!domain.is_done) {
    if (domain.paused) return 'paused, so not checked';
    const read = domain.addresses.filter(({ serves }) => serves !== null);
    const changed = read.filter(({ serves }) => serves === fingerprint).length;
    return changed === 0
      ? 'not changed yet'
      : `${changed} of ${counted(read.length, 'address', 'addresses')} changed`;
  }
  if (!domain.is_serving) return 'has a later certificate';
  if (domain.first_seen_at === null) return null;
  return (
    <>
      since <Time iso={domain.first_seen_at} withTime />
    </>
  );
}
