import type { AddressWire, ReportWire } from '../../../../contract/domain-report.ts';
import type { Protocol } from '../../../../contract/protocols.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { addressVerdict, type JudgedAddress, tlsName } from './address-verdict.ts';
import { FoldedSection } from '../../../domain/disclosure.tsx';
import { StateMark } from '../../../domain/state-marks.tsx';
import { shortFingerprint } from '../certificate/pem.ts';

/** Shows every address of the host: a summary line, and a table that is open if the addresses differ. */
export function Addresses({ report, protocol }: { report: ReportWire; protocol: Protocol }) {
  const verdict = addressVerdict(report.addresses);
  return (
    <FoldedSection title="Addresses" line={verdict.line} isOpen={verdict.needsLook}>
      {verdict.addresses.length === 0 ? (
        <p className="text-label text-fg-2">The last check found no addresses.</p>
      ) : (
        <table className="num w-full text-left text-meta">
          <caption className="sr-only">Certificate and response of each address at the last check</caption>
          <thead className="text-small text-fg-3">
            <tr>
              <th scope="col" colSpan={4} className="font-normal">
                Address
              </th>
            </tr>
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
                Response
              </th>
            </tr>
          </thead>
          {verdict.addresses.map((judged) => (
            <Address
              key={`${judged.seen.address} ${judged.seen.server}`}
              judged={judged}
              protocol={protocol}
            />
          ))}
        </table>
      )}
    </FoldedSection>
  );
}

const CELL = 'px-1.5 py-0.5 align-top font-normal';

/** Shows the address, and below it its certificate or the failure. */
function Address({ judged: { seen, mark }, protocol }: { judged: JudgedAddress; protocol: Protocol }) {
  const { fingerprint, expiry_date: expiry, tls_version: version } = seen;
  const below = belowTheRow(seen, protocol);
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
                  <StateMark state="flawed" className="size-3" />
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

/**
 * Returns the facts of an address that have no column: the agreed protocol, the key exchange group, and failures although a
 * certificate was read.
 */
function belowTheRow(
  { server, fingerprint, alpn, group, failure, reply }: AddressWire,
  protocol: Protocol,
): string[] {
  const lines: string[] = [];
  if (server !== null) lines.push(`Server from DNS (SRV): ${visibleText(server)}`);
  if (failure !== null && fingerprint !== null) lines.push(`It ${visibleText(failure)}`);
  if (reply !== undefined) lines.push(`Answer: ${[reply.code, reply.text].filter(Boolean).join(' ')}`);
  if (alpn !== null) lines.push(`Agreed protocol (ALPN): ${PROTOCOLS[alpn] ?? visibleText(alpn)}`);
  else if (protocol === 'https' && fingerprint !== null) lines.push('Agreed protocol (ALPN): none');
  // Our checks offer no post-quantum groups. The section Facts shows which group a client that offers them gets.
  if (group !== null) lines.push(`Key exchange if no post-quantum group is offered: ${visibleText(group)}`);
  return lines;
}

const PROTOCOLS: Readonly<Record<string, string>> = { h2: 'HTTP/2', 'http/1.1': 'HTTP/1.1' };

/** Formats milliseconds: '34 ms', '10 s'. */
function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
