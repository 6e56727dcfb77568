import { Fragment } from 'react';
import type { PostureWire, ReportWire } from '../../../../contract/domain-report.ts';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { FoldedSection } from '../../../domain/disclosure.tsx';
import { Fact, Facts } from '../../../domain/panel-section.tsx';
import { shortFingerprint } from '../certificate/pem.ts';
import {
  caaLines,
  keyExchangeLine,
  notTestedLine,
  notTestedTerm,
  postureLine,
  registrationLine,
  servedToLine,
  tlsVersionsLine,
} from './posture-words.ts';

/** Shows facts about TLS, DNS and the registration that never cause alerts. They are collected about once a day. */
export function FactsSection({ report: { posture, forecast } }: { report: ReportWire }) {
  return (
    <FoldedSection title="Facts" line={posture ? postureLine(posture) : 'Not checked yet'}>
      {posture ? (
        <Posture posture={posture} hasForecast={forecast !== null} />
      ) : (
        <p className="text-label text-fg-2">We collect these about once a day, with a regular check.</p>
      )}
    </FoldedSection>
  );
}

/** Leaves out CAA if there is a forecast of the next renewal, which shows more about it. */
function Posture({ posture, hasForecast }: { posture: PostureWire; hasForecast: boolean }) {
  const { caa, alternates, not_tested: untested, earlier } = posture;
  const registration = registrationLine(posture.registration);
  return (
    <>
      <Facts className="grid-cols-[97px_1fr]">
        <Fact term="TLS versions">{tlsVersionsLine(posture.tls_versions)}</Fact>
        <Fact term="Key exchange">{keyExchangeLine(posture.post_quantum)}</Fact>
        {!hasForecast && (
          <Fact term="CAA">
            {caa.outcome === 'records' ? (
              <>
                <p>
                  At <bdi className="font-mono text-[12.5px]">{visibleText(caa.domain)}</bdi>
                </p>
                <ul className="font-mono text-[12.5px]/5">
                  {caaLines(caa).map((line, index) => (
                    <li key={index}>{line}</li>
                  ))}
                </ul>
              </>
            ) : (
              caaLines(caa)
            )}
          </Fact>
        )}
        {registration !== null && <Fact term="Registration">{registration}</Fact>}
        {alternates.length > 0 && (
          <Fact term="Also served">
            <ul className="grid gap-1">
              {alternates.map((alternate) => (
                <li key={alternate.fingerprint}>
                  {servedToLine(alternate)}: <bdi>{visibleText(alternate.name)}</bdi>, until{' '}
                  <Time iso={alternate.expiry_date} />{' '}
                  <span className="font-mono text-[12.5px] text-fg-3">
                    {shortFingerprint(alternate.fingerprint)}
                  </span>
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {untested.length > 0 && <Fact term={notTestedTerm(posture)}>{notTestedLine(untested)}</Fact>}
      </Facts>
      <p className="mt-3 text-meta text-fg-3">
        As of <Time iso={posture.checked_at} withTime />
        {earlier.map(({ results, checked_at: testedAt }) => (
          <Fragment key={results}>
            ; {results}: <Time iso={testedAt} withTime />
          </Fragment>
        ))}
      </p>
    </>
  );
}
