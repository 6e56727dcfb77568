import { CLIENT_NAMES } from '../../../../contract/check-words.ts';
import type { TransparencyWire } from '../../../../contract/domain-report.ts';
import { FoldedSection } from '../../../domain/disclosure.tsx';
import { listed } from '../../../lib/format.ts';
import { Time } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** Shows the Certificate Transparency timestamps of the certificate, and for which browsers each counts. */
export function Transparency({ transparency }: { transparency: TransparencyWire }) {
  const { timestamps, unreadable, policies, note } = transparency;
  const isOpen = policies.some(({ outcome }) => outcome !== 'met');
  return (
    <FoldedSection title="Certificate Transparency" line={transparencyLine(transparency)} isOpen={isOpen}>
      {timestamps.length > 0 && (
        <table className="num w-full text-left text-meta">
          <caption className="sr-only">Timestamps of Certificate Transparency logs</caption>
          <thead className="text-small text-fg-3">
            <tr>
              {['Log', 'Operator', 'Time'].map((name) => (
                <th key={name} scope="col" className={`${CELL} whitespace-nowrap`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          {timestamps.map((timestamp, index) => (
            <Timestamp key={index} timestamp={timestamp} />
          ))}
        </table>
      )}
      {timestamps.length > 0 && unreadable > 0 && (
        <p className="mt-2 text-label text-fg-2">
          {unreadable === 1
            ? '1 more could not be read, or comes after the first 20.'
            : `${unreadable} more could not be read, or come after the first 20.`}
        </p>
      )}
      {policies.map(({ client, message }) => (
        <p key={client} className="mt-2 text-label text-fg-2">
          {message}
        </p>
      ))}
      {note !== null && <p className="mt-2 text-label text-fg-2">{note}</p>}
    </FoldedSection>
  );
}

const CELL = 'py-0.5 pr-2 align-top font-normal [overflow-wrap:anywhere] last:pr-0';

/** Shows a timestamp, and below it for which browsers it counts. */
function Timestamp({ timestamp }: { timestamp: TransparencyWire['timestamps'][number] }) {
  const { log_id: logId, log, operator, at, delivery } = timestamp;
  return (
    <tbody className="border-t border-line">
      <tr>
        <th scope="row" className={CELL}>
          {log === null ? (
            <span className="font-mono text-[12.5px]">{logId}</span>
          ) : (
            <bdi className="font-[520]">{visibleText(log)}</bdi>
          )}
        </th>
        <td className={CELL}>
          {/* Breaks a word only if it is longer than 112 px, because the names of operators are short. */}
          <span className="block max-w-28 [overflow-wrap:break-word]">
            {operator === null ? 'Not known' : <bdi>{visibleText(operator)}</bdi>}
          </span>
        </td>
        <td className={CELL}>
          <Time iso={at} withTime />
        </td>
      </tr>
      <tr className="text-fg-2">
        <td colSpan={3} className="pb-1.5">
          {delivery === 'staple' && <p>In the stapled OCSP response</p>}
          {countsLines(timestamp).map((line) => (
            <p key={line}>{line}</p>
          ))}
        </td>
      </tr>
    </tbody>
  );
}

/** Returns the line that is always visible: '3 timestamps, enough for Chrome, Firefox and Safari'. */
function transparencyLine({ timestamps, unreadable, policies }: TransparencyWire): string {
  const count = timestamps.length;
  if (count === 0) return unreadable === 0 ? 'No timestamps' : 'No readable timestamps';
  const found = count === 1 ? '1 timestamp' : `${count} timestamps`;
  for (const [outcome, words] of OUTCOMES) {
    const clients = policies.filter((policy) => policy.outcome === outcome);
    if (clients.length > 0)
      return `${found}, ${words} for ${listed(clients.map(({ client }) => CLIENT_NAMES[client]))}`;
  }
  return found;
}

/** The outcomes in the words of the line, which names only the worst one. */
const OUTCOMES = [
  ['not_met', 'not enough'],
  ['not_known', 'not known whether enough'],
  ['met', 'enough'],
] as const;

/** Returns for which clients a timestamp counts, then the others, grouped by the reason: 'Safari: the log is retired'. */
function countsLines({ clients }: Pick<TransparencyWire['timestamps'][number], 'clients'>): string[] {
  const reasons = new Map<string, string[]>();
  for (const { name, counts, why } of clients) {
    const reason = counts === true ? '' : (why ?? '');
    reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  }
  return [...reasons]
    .toSorted(([left], [right]) => Number(left !== '') - Number(right !== ''))
    .map(([reason, names]) =>
      reason === '' ? `Counts for ${listed(names)}` : `${listed(names)}: ${visibleText(reason)}`,
    );
}
