import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { daysLeft, expiryBadge } from '../../../../contract/badge.ts';
import type { PreviewCheckWire } from '../../../../contract/preview-check.ts';
import { Badge, ExpiryBadge } from '../../../ui/badge.tsx';
import { buttonClass } from '../../../ui/button.tsx';
import { FaviconTile } from '../../../ui/favicon-tile.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { LifetimeBar } from '../../../ui/lifetime-bar.tsx';
import { revocationLine } from '../../../ui/revocation-line.ts';
import { ShellLine } from '../../../ui/shell-line.tsx';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { hostToWatch } from './host-to-watch.ts';

const FIRST_NAMES = 4;

interface GlanceReportProps {
  glance: PreviewCheckWire;
  /** What was asked for. */
  typed: string;
  /** When it came, in ms UTC. */
  now: number;
  /** Whether the reader waits for it where it was asked for. */
  isAwaited: () => boolean;
}

/** What one look has found: the certificate, and what is wrong with it; or why there was none to read. */
export function GlanceReport({ glance, typed, now, isAwaited }: GlanceReportProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isAwaited()) heading.current?.focus();
    // It was for the moment that the report came in.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <article className="mt-6 border-t border-line pt-6" aria-label={`Report on ${glance.display_name}`}>
      <div className="flex items-center gap-3">
        <FaviconTile hostname={glance.display_name} src={null} />
        <h3
          ref={heading}
          tabIndex={-1}
          className="min-w-0 font-mono text-lead font-[560] [overflow-wrap:anywhere]"
        >
          {glance.display_name}
        </h3>
      </div>
      {glance.unreachable ? (
        <Unread glance={glance} message={glance.unreachable.message} />
      ) : (
        <Certificate glance={glance} now={now} />
      )}
      <div className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Link
          to="/signup"
          search={{ host: hostToWatch(typed, glance) }}
          className={buttonClass('primary', 'form')}
        >
          Watch this host
        </Link>
        <span className="text-fg-3">Get an email before the date comes.</span>
      </div>
    </article>
  );
}

function Unread({ glance, message }: { glance: PreviewCheckWire; message: string }) {
  return (
    <>
      <p className="mt-4">
        <Badge tone="plain" glyph="soon">
          No certificate read
        </Badge>
      </p>
      <p className="mt-3 text-lead [overflow-wrap:anywhere]">{message}</p>
      {glance.addresses.length > 0 && (
        <dl className="mt-5 grid gap-4">
          <Fact name="Addresses">
            <Addresses glance={glance} />
          </Fact>
        </dl>
      )}
    </>
  );
}

function Certificate({ glance, now }: { glance: PreviewCheckWire; now: number }) {
  const { valid_from: validFrom, expiry_date: expiryDate, state, trusted } = glance;
  const [notBefore, notAfter] = [Date.parse(validFrom ?? ''), Date.parse(expiryDate ?? '')];
  const issuer = [glance.authority_name, glance.issuer].filter(
    (name, index, all) => name && all.indexOf(name) === index,
  );
  return (
    <>
      <div className="mt-4 flex min-h-[26px] flex-wrap items-center justify-between gap-x-4 gap-y-2">
        {expiryBadge(notAfter, now) ? (
          <ExpiryBadge notAfter={notAfter} now={now} />
        ) : (
          <span className="num text-fg-2">
            <b className="mr-1 text-title/[26px] font-semibold tracking-[-.02em] text-fg">
              {daysLeft(notAfter, now)}
            </b>{' '}
            days left
          </span>
        )}
        {state === 'revoked' ? (
          <Badge tone="revoked" glyph="revoked">
            Revoked
          </Badge>
        ) : (
          <Trust
            trusted={trusted}
            isIncomplete={glance.findings.some(({ code }) => code === 'incomplete_chain')}
          />
        )}
      </div>
      <div className="mt-[9px]">
        <LifetimeBar
          lifetime={{
            notBefore,
            notAfter,
            renewalFrom: glance.renewal_from === null ? null : Date.parse(glance.renewal_from),
            revoked: state === 'revoked',
          }}
          now={now}
        />
      </div>
      {glance.findings.length > 0 && (
        <ul className="mt-5 grid gap-3">
          {glance.findings.map(({ code, severity, message, fix, command }) => (
            <li key={code + message} className="flex gap-2.5">
              <Glyph
                name={severity === 'critical' ? 'critical' : severity === 'warning' ? 'soon' : 'ok'}
                className={`mt-[3px] size-3.5 [--glyph-cut:var(--surface)] ${
                  severity === 'critical'
                    ? 'text-critical-mark'
                    : severity === 'warning'
                      ? 'text-soon-mark'
                      : 'text-ok-mark'
                }`}
              />
              <div className="min-w-0 [overflow-wrap:anywhere]">
                <p>{visibleText(message)}</p>
                {severity !== 'note' && fix !== null && (
                  <p className="mt-0.5 text-label text-fg-2">{visibleText(fix)}</p>
                )}
                {severity !== 'note' && command !== null && (
                  <div className="mt-2">
                    <ShellLine line={command} />
                  </div>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      <dl className="mt-5 grid gap-x-8 gap-y-4 md:grid-cols-2">
        <Fact name="Valid From">{validFrom !== null && <Time iso={validFrom} />}</Fact>
        <Fact name="Expires On">{expiryDate !== null && <Time iso={expiryDate} />}</Fact>
        <Fact name="Issuer">{issuer.join(' · ') || 'Not named'}</Fact>
        <Fact name="Subject">{glance.subject ?? 'Not named'}</Fact>
        <Fact name="Names">
          <Names glance={glance} />
        </Fact>
        <Fact name="Addresses">
          <Addresses glance={glance} />
        </Fact>
        <Fact name="Revocation" isWide>
          {revocationLine(glance.revocation)}
        </Fact>
        <Fact name="Chain" isWide>
          <ol className="grid gap-1">
            {glance.chain.map(({ subject, issuer: signer, expiry_date: until }, index) => (
              // The same certificate can be sent twice.
              <li key={index} className="[overflow-wrap:anywhere]">
                {subject || 'Unnamed'}{' '}
                <span className="text-fg-3">
                  {subject === signer ? 'a root' : `issued by ${signer || 'somebody unnamed'}`}, valid until{' '}
                  <Time iso={until} />
                </span>
              </li>
            ))}
          </ol>
        </Fact>
      </dl>
    </>
  );
}

const TRUST = {
  yes: { glyph: 'active', colour: 'text-ok-mark', words: 'Trusted' },
  // Clients that know the missing certificate from elsewhere trust it; the others do not.
  incomplete: { glyph: 'soon', colour: 'text-soon-mark', words: 'Chain incomplete' },
  no: { glyph: 'critical', colour: 'text-critical-mark', words: 'Not trusted' },
} as const;

function Trust({ trusted, isIncomplete }: { trusted: boolean | null; isIncomplete: boolean }) {
  if (trusted === null) return null;
  const { glyph, colour, words } = TRUST[!trusted ? 'no' : isIncomplete ? 'incomplete' : 'yes'];
  return (
    <span className="inline-flex min-h-6 items-center gap-1.5 text-meta font-[550] text-fg-2">
      <Glyph name={glyph} className={`size-[13px] [--glyph-cut:var(--surface)] ${colour}`} />
      {words}
    </span>
  );
}

function Names({ glance: { sans, sans_total: total } }: { glance: PreviewCheckWire }) {
  const first = sans.slice(0, FIRST_NAMES);
  if (first.length === 0) return 'None';
  return (
    <span className="font-mono text-label">
      {first.join(', ')}
      {total > first.length && <span className="font-sans text-fg-3"> and {total - first.length} more</span>}
    </span>
  );
}

function Addresses({ glance: { addresses } }: { glance: PreviewCheckWire }) {
  return (
    <ul className="grid gap-1">
      {addresses.map(({ address, tls_version: version, failure }) => (
        <li key={address} className="[overflow-wrap:anywhere]">
          <span className="font-mono text-label">{address}</span>{' '}
          <span className="text-fg-3">{failure ?? version?.replace('TLSv', 'TLS ')}</span>
        </li>
      ))}
    </ul>
  );
}

function Fact({ name, isWide = false, children }: { name: string; isWide?: boolean; children: ReactNode }) {
  return (
    <div className={isWide ? 'min-w-0 md:col-span-2' : 'min-w-0'}>
      <dt className="text-label text-fg-3">{name}</dt>
      <dd className="mt-0.5 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
