import type { AddressWire } from '../../../../contract/domain-report.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { addressVerdict, tlsName } from './address-verdict.ts';
import type { JudgedAddress } from './address-verdict.ts';
import { FoldedSection } from './disclosure.tsx';
import { shortFingerprint } from './pem.ts';
import { ReportWaiting, reportLine } from './report-waiting.tsx';
import type { ReportRead } from './report-query.ts';

/** Every address behind the name: one line on all of them, and a table that opens by itself where they differ. */
export function Addresses({ domain, read }: { domain: DomainWire; read: ReportRead }) {
  const { report } = read;
  if (domain.last_checked_at === null) return null;
  const verdict = report && addressVerdict(report.addresses);
  return (
    <FoldedSection
      title="Addresses"
      line={verdict?.line ?? reportLine(read)}
      isOpen={verdict?.needsLook ?? read.error !== null}
    >
      {!verdict ? (
        <ReportWaiting read={read} />
      ) : verdict.addresses.length === 0 ? (
        <p className="text-label text-fg-2">The last check did not get as far as an address.</p>
      ) : (
        <table className="num w-full text-left text-meta">
          <caption className="sr-only">What each address showed at the last check</caption>
          <thead className="text-small text-fg-3">
            <tr>
              <th scope="col" className={`${CELL} w-px pl-0`}>
                Certificate
              </th>
              <th scope="col" className={CELL}>
                Expires
              </th>
              <th scope="col" className={`${CELL} w-px`}>
                TLS
              </th>
              <th scope="col" className={`${CELL} w-px pr-0 text-right`}>
                Time
              </th>
            </tr>
          </thead>
          {verdict.addresses.map((judged) => (
            <Address key={judged.seen.address} judged={judged} />
          ))}
        </table>
      )}
    </FoldedSection>
  );
}

const CELL = 'px-1.5 py-0.5 align-top font-normal';

/** Two lines: the address, and below it what it showed or why it did not. */
function Address({ judged: { seen, mark } }: { judged: JudgedAddress }) {
  const { fingerprint, expiry_date: expiry, tls_version: version } = seen;
  const below = belowTheRow(seen);
  return (
    <tbody className="border-t border-line">
      <tr>
        <th scope="rowgroup" colSpan={4} className="pt-1.5 font-normal">
          <span className="flex flex-wrap items-center justify-between gap-x-3">
            <span className="font-mono font-[520] [overflow-wrap:anywhere]">{seen.address}</span>
            {mark !== null && (
              <span className="inline-flex items-center gap-1.5 font-[520]">
                {seen.is_ours ? (
                  <Glyph name="ok" className="size-3 text-fg-3" />
                ) : (
                  <Glyph name="soon" className="size-3 text-soon-mark [--glyph-cut:var(--surface)]" />
                )}
                {mark}
              </span>
            )}
          </span>
        </th>
      </tr>
      <tr className="text-fg-2">
        {seen.failure !== null && fingerprint === null ? (
          <td colSpan={3} className={`${CELL} pl-0 [overflow-wrap:anywhere]`}>
            It {visibleText(seen.failure)}
          </td>
        ) : (
          <>
            <td className={`${CELL} pl-0 font-mono`}>{fingerprint && shortFingerprint(fingerprint)}</td>
            <td className={CELL}>{expiry !== null && <Time iso={expiry} />}</td>
            <td className={`${CELL} whitespace-nowrap`}>{version !== null && tlsName(version)}</td>
          </>
        )}
        <td className={`${CELL} pr-0 text-right whitespace-nowrap`}>
          {seen.is_ours ? '' : duration(seen.response_ms)}
        </td>
      </tr>
      <tr className="text-fg-3">
        <td colSpan={4} className="pb-1.5 [overflow-wrap:anywhere]">
          {below.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </td>
      </tr>
    </tbody>
  );
}

/** What has no column: the group, and what went wrong although a certificate was shown. */
function belowTheRow({ fingerprint, group, failure }: AddressWire): string[] {
  const lines: string[] = [];
  if (failure !== null && fingerprint !== null) lines.push(`It ${visibleText(failure)}`);
  // Every check asks as older clients do; how newer ones fare is among the facts.
  if (group !== null) lines.push(`${visibleText(group)} with a classic hello`);
  return lines;
}

/** '34 ms', '10 s' */
function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
