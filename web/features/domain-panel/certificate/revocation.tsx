import type { ReportWire } from '../../../../contract/domain-report.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { inSentence, STATE_NAMES } from '../../../../contract/state/state-words.ts';
import { StateMark } from '../../../domain/state-marks.tsx';
import { revocationLine } from '../../../ui/certificate/revocation-line.ts';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { Disclosure } from '../../../domain/disclosure.tsx';
import type { ReportRead } from '../report/report-query.ts';

type Source = ReportWire['revocation_sources'][number];

const NAMES: Record<Source['source'], string> = {
  crl: 'Revocation list (CRL)',
  ocsp: 'OCSP response',
  staple: 'Stapled OCSP response',
};

interface RevocationProps {
  domain: Pick<DomainWire, 'revocation' | 'unreachable'>;
  read: ReportRead;
}

/** Shows the revocation state and its sources. */
export function Revocation({ domain, read }: RevocationProps) {
  const { revocation } = domain;
  const sources = read.report?.revocation_sources;
  const line = lineOf(domain, read);
  // In these states the check asked sources, so the line that unfolds them appears before they load.
  const wasAsked = ['good', 'revoked', 'unavailable'].includes(revocation.state);
  return (
    <>
      {revocation.state === 'revoked' ? (
        <p className="flex gap-1.5 font-[520]">
          <StateMark state="revoked" className="mt-[3.5px] size-[13px]" />
          <span className="min-w-0">{line}</span>
        </p>
      ) : (
        <p>{line}</p>
      )}
      {(sources ? sources.length > 0 : wasAsked) && (
        <Disclosure summary={sources ? `Sources (${sources.length})` : 'Sources'}>
          {sources ? (
            <ul className="grid gap-2.5 pt-1 pb-1.5 text-meta">
              {sources.map((source, index) => (
                <li key={index}>
                  <SourceFacts source={source} />
                </li>
              ))}
            </ul>
          ) : (
            <p className="text-meta text-fg-3">
              {read.error ? 'Could not load the sources.' : 'Loading the sources...'}
            </p>
          )}
        </Disclosure>
      )}
    </>
  );
}

function lineOf({ revocation, unreachable }: RevocationProps['domain'], { report }: ReportRead): string {
  if (revocation.state === 'unknown' && unreachable)
    return `Not checked: ${inSentence(STATE_NAMES.unreachable)}`;
  // The list of sources includes those that gave no answer yet.
  return revocationLine(revocation, report?.revocation_sources.length !== 0);
}

function SourceFacts({ source }: { source: Source }) {
  const { url, state, why, checked_at: checkedAt, this_update: from, next_update: to } = source;
  return (
    <>
      <p>
        <span className="font-[520]">{NAMES[source.source]}</span>
        {': '}
        {STATES[state]}
      </p>
      {url !== null && (
        <p className="font-mono text-small text-fg-2">
          <bdi dir="ltr">{visibleText(url)}</bdi>
        </p>
      )}
      {why !== null && <p className="text-fg-2">{visibleText(why)}</p>}
      <p className="text-fg-3">
        Checked <Time iso={checkedAt} withTime />
        {from !== null && (
          <>
            {'; issued '}
            <Time iso={from} withTime />
          </>
        )}
        {to !== null && (
          <>
            , next update due <Time iso={to} withTime />
          </>
        )}
      </p>
    </>
  );
}

const STATES: Record<Source['state'], string> = {
  good: 'not revoked',
  revoked: 'revoked',
  none: 'no valid answer',
};
