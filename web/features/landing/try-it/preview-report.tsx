import { issuerLine } from '../../../../contract/check-words.ts';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { expiryBadge } from '../../../../contract/state/badge.ts';
import type { PreviewCheckWire } from '../../../../contract/preview-check.ts';
import { ExpiryBadge } from '../../../ui/badge.tsx';
import { buttonClass } from '../../../ui/button.tsx';
import { FaviconTile } from '../../../ui/favicon-tile.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { StateBadge, StateMark, stateOfFinding } from '../../../domain/state-marks.tsx';
import { LifetimeBar } from '../../../ui/certificate/lifetime-bar.tsx';
import { revocationLine } from '../../../ui/certificate/revocation-line.ts';
import { ShellCommand } from '../../../ui/shell-command.tsx';
import { Time } from '../../../ui/time.tsx';
import { serverText } from '../../../ui/visible-text.ts';
import { scrollBehavior } from '../section-parts.tsx';
import { hostToWatch } from './host-to-watch.ts';
import { scheduleOf, scheduleWords, timeLeft } from '../../../../contract/state/schedule.ts';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';

const FIRST_NAMES = 4;

interface PreviewReportProps {
  result: PreviewCheckWire;
  /** The text that the visitor typed. */
  typed: string;
  /** When the result arrived, in ms UTC. */
  now: number;
  /** Tells whether the visitor is still waiting for the result in the form. */
  isAwaited: () => boolean;
}

/** Shows the result of a preview check: the certificate and its problems, or why none was read. */
export function PreviewReport({ result, typed, now, isAwaited }: PreviewReportProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isAwaited()) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest('article')?.scrollIntoView({ block: 'nearest', behavior: scrollBehavior() });
    // Runs only when the report appears.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <article aria-label={`Report on ${result.display_name}`} className="scroll-my-10 md:scroll-my-12">
      <div className="flex items-center gap-3">
        <FaviconTile hostname={result.display_name} src={null} />
        <h2
          ref={heading}
          tabIndex={-1}
          className="min-w-0 font-mono text-lead font-[560] [overflow-wrap:anywhere]"
        >
          {result.display_name}
        </h2>
      </div>
      {result.unreachable ? (
        <Unread result={result} message={result.unreachable.message} />
      ) : (
        <Certificate result={result} now={now} />
      )}
      <div className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2">
        <a
          href={`/signup?${new URLSearchParams({ host: hostToWatch(typed, result) })}`}
          className={buttonClass('primary', 'form')}
        >
          Watch this host
        </a>
        <span className="text-fg-3">Get an email before its certificate expires.</span>
      </div>
    </article>
  );
}

function Unread({ result, message }: { result: PreviewCheckWire; message: string }) {
  return (
    <>
      <p className="mt-4">
        <StateBadge state="unread" />
      </p>
      <p className="mt-3 text-lead [overflow-wrap:anywhere]">{serverText(message)}</p>
      {result.addresses.length > 0 && (
        <dl className="mt-5 grid gap-4">
          <Fact name="Addresses">
            <Addresses result={result} />
          </Fact>
        </dl>
      )}
    </>
  );
}

interface ReportPartProps {
  result: PreviewCheckWire;
  now: number;
}

function Certificate({ result, now }: ReportPartProps) {
  const schedule = scheduleWords(result, now);
  return (
    <>
      <Standing result={result} now={now} />
      <div className="mt-[9px]">
        <LifetimeBar
          lifetime={{
            ...validityOf(result),
            renewalFrom: result.renewal_from === null ? null : Date.parse(result.renewal_from),
            revoked: result.state === 'revoked',
            isOnSchedule: scheduleOf(result, now) === 'on schedule',
          }}
          now={now}
        />
        {schedule !== null && (
          <p className="num mt-2 text-label text-fg-2">
            {schedule.charAt(0).toUpperCase() + schedule.slice(1)}
          </p>
        )}
      </div>
      {result.findings.length > 0 && (
        <ul className="mt-5 grid gap-3">
          {result.findings.map((finding) => (
            <Finding key={finding.code + finding.message} finding={finding} state={result.state} />
          ))}
        </ul>
      )}
      <Facts result={result} />
    </>
  );
}

/** Returns the start and the end of the certificate's validity, in ms UTC. */
const validityOf = ({ valid_from: from, expiry_date: until }: PreviewCheckWire) => ({
  notBefore: Date.parse(from ?? ''),
  notAfter: Date.parse(until ?? ''),
});

/** Shows the time left and whether clients trust the certificate. */
function Standing({ result, now }: ReportPartProps) {
  const { notAfter } = validityOf(result);
  const [value, unit] = timeLeft(notAfter - now).split(' ');
  return (
    <div className="mt-4 flex min-h-[26px] flex-wrap items-center justify-between gap-x-4 gap-y-2">
      {expiryBadge(notAfter, now) ? (
        <ExpiryBadge notAfter={notAfter} now={now} />
      ) : result.state === 'revoked' ? null : (
        <span className="num text-fg-2">
          <b className="mr-1 text-title/[26px] font-semibold tracking-[-.02em] text-fg">{value}</b> {unit}{' '}
          left
        </span>
      )}
      {result.state === 'revoked' ? (
        <StateBadge state="revoked" />
      ) : (
        <Trust
          trusted={result.trusted}
          isIncomplete={result.findings.some(({ code }) => code === 'incomplete_chain')}
        />
      )}
    </div>
  );
}

interface FindingProps {
  finding: PreviewCheckWire['findings'][number];
  /** State of the certificate. */
  state: PreviewCheckWire['state'];
}

function Finding({ finding, state }: FindingProps) {
  const { severity, message, fix, command } = finding;
  return (
    <li className="flex gap-2.5">
      <StateMark
        state={stateOfFinding(finding, state) ?? 'ok'}
        className="mt-[3px] size-3.5 [--glyph-cut:var(--surface)]"
      />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p>{serverText(message)}</p>
        {severity !== 'note' && fix !== null && (
          <p className="mt-0.5 text-label text-fg-2">{serverText(fix)}</p>
        )}
        {severity !== 'note' && command !== null && (
          <div className="mt-2">
            <ShellCommand command={command} />
          </div>
        )}
      </div>
    </li>
  );
}

function Facts({ result }: Pick<ReportPartProps, 'result'>) {
  return (
    <dl className="mt-5 grid gap-x-8 gap-y-4 md:grid-cols-2">
      <Fact name="Valid From">{result.valid_from !== null && <Time iso={result.valid_from} />}</Fact>
      <Fact name="Expires On">{result.expiry_date !== null && <Time iso={result.expiry_date} />}</Fact>
      <Fact name="Issuer">{issuerLine(result.authority_name, result.issuer) ?? 'None'}</Fact>
      <Fact name="Subject">{result.subject ?? 'None'}</Fact>
      <Fact name="Names">
        <Names result={result} />
      </Fact>
      <Fact name="Addresses">
        <Addresses result={result} />
      </Fact>
      <Fact name="Revocation" isWide>
        {revocationLine(result.revocation, result.revocation_sources.length > 0)}
      </Fact>
      <Fact name="Chain" isWide>
        <ol className="grid gap-1">
          {result.chain.map(({ subject, issuer: signer, expiry_date: until }, index) => (
            // A server can send the same certificate twice.
            <li key={index} className="[overflow-wrap:anywhere]">
              {subject || 'Unnamed'}{' '}
              <span className="text-fg-3">
                {subject === signer ? 'self-signed' : `issued by ${signer || 'an unnamed issuer'}`}, valid
                until <Time iso={until} />
              </span>
            </li>
          ))}
        </ol>
      </Fact>
    </dl>
  );
}

const TRUST = {
  yes: { state: null, words: 'Trusted' },
  // Clients that have the missing certificate cached trust it; others do not.
  incomplete: { state: 'refused', words: STATE_NAMES.refused },
  no: { state: 'untrusted', words: STATE_NAMES.untrusted },
} as const;

function Trust({ trusted, isIncomplete }: { trusted: boolean | null; isIncomplete: boolean }) {
  if (trusted === null) return null;
  const { state, words } = TRUST[!trusted ? 'no' : isIncomplete ? 'incomplete' : 'yes'];
  return (
    <span className="inline-flex min-h-6 items-center gap-1.5 text-meta font-[550] text-fg-2">
      {state ? <StateMark state={state} /> : <Glyph name="active" className="size-[13px] text-ok-mark" />}
      {words}
    </span>
  );
}

function Names({ result: { sans, sans_total: total } }: { result: PreviewCheckWire }) {
  const first = sans.slice(0, FIRST_NAMES);
  if (first.length === 0) return 'None';
  return (
    <span className="font-mono text-label">
      {first.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ' '}
          {/* A name that contains hyphens moves to the next line as a whole. */}
          <span className="inline-block max-w-full">{index < first.length - 1 ? `${name},` : name}</span>
        </Fragment>
      ))}
      {total > first.length && <span className="font-sans text-fg-3"> and {total - first.length} more</span>}
    </span>
  );
}

function Addresses({ result: { addresses } }: { result: PreviewCheckWire }) {
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
