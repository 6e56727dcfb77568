import { CLIENT_NAMES } from '../../../contract/check-words.ts';
import type { PolicyGap, TimestampStatus } from '../../pki/ct/policies.ts';
import { oneLine } from '../one-line.ts';
import type { TransparencyClient, TransparencyVerdict } from '../verdict.ts';
import { codeCell, table } from './markdown.ts';

/* Words for the Certificate Transparency timestamps (SCTs) of a certificate. */

type Timestamp = TransparencyVerdict['timestamps'][number];
type Policy = TransparencyVerdict['policies'][number];

const CLIENTS_WITH_POLICY: readonly TransparencyClient[] = ['chromium', 'firefox', 'apple'];

/** Each completes "It does not count for Chrome: …". */
const STATUS_WORDS: Record<Exclude<TimestampStatus, 'counts'>, string> = {
  unknown_log: 'the log is not in the browser’s list',
  not_verified: 'not known, because we could not verify the signature',
  bad_signature: 'the signature is not that of the log',
  from_future: 'its time is in the future',
  untrusted_log: 'the log is not accepted',
  retired_log: 'the log is retired',
  no_leaf_index: 'it lacks the leaf index that static logs give',
  stapled: 'it comes in an OCSP response',
  same_log: 'another timestamp of the same log counts',
};
const NO_LIST = 'not known: this server has no current list of logs';

/** Returns the name and the operator of the log in one line each; null if no list has the log. */
export function logWords({ log }: Timestamp): { name: string; operator: string } | null {
  return log && { name: oneLine(log.name), operator: oneLine(log.operator) };
}

/**
 * Returns what each client that demands timestamps makes of one; none if the certificate needs no timestamps. `counts` is null if we
 * do not know.
 */
export function clientViews(timestamp: Timestamp, { isRequired }: Pick<TransparencyVerdict, 'isRequired'>) {
  return (isRequired ? CLIENTS_WITH_POLICY : []).map((client) => {
    const status = timestamp[client];
    const name = CLIENT_NAMES[client];
    if (status === 'counts') return { client, name, counts: true, why: null };
    if (status === null) return { client, name, counts: null, why: NO_LIST };
    // A newer version may have stored a code that this version does not know.
    const words: string | undefined = STATUS_WORDS[status];
    return { client, name, counts: status === 'not_verified' ? null : false, why: words ?? status };
  });
}

/** Returns why the verdict has no policies; null if it has some. */
export function transparencyNote({ isRequired, policies }: TransparencyVerdict): string | null {
  if (!isRequired) return 'Browsers demand timestamps only from certificates of public authorities.';
  return policies.length === 0
    ? 'We do not know for which browsers they count: this server has no current list of logs.'
    : null;
}

const GAP_WORDS: Record<PolicyGap, (policy: Policy) => string> = {
  too_few: ({ counted, needed }) =>
    `needs ${needed} timestamps from different logs in the certificate, and ${counted} ${counted === 1 ? 'counts' : 'count'}`,
  one_operator: () => 'needs timestamps from logs of two operators, and all that count are from one',
  only_retired_logs: () => 'needs a timestamp from a log that is not retired',
  only_static_logs: () => 'needs a timestamp from an RFC 6962 log, and all that count are from static logs',
};

/** Returns a sentence that says whether the timestamps are enough for a client. */
export function policyMessage(policy: Policy): string {
  const { client, outcome, why, counted, needed } = policy;
  const name = CLIENT_NAMES[client];
  if (outcome === 'met' || why === null) return `${name}: enough (${counted} count, ${needed} needed).`;
  const gap: ((policy: Policy) => string) | undefined = GAP_WORDS[why];
  const sentence = `${name} ${gap?.(policy) ?? why}.`;
  return outcome === 'not_met'
    ? sentence
    : `${sentence} We do not know whether it refuses the certificate, because we do not read timestamps in the TLS handshake.`;
}

/** Returns the section of the report as Markdown. Untrusted strings are escaped. */
export function transparencyText(transparency: TransparencyVerdict): string[] {
  const { timestamps, unreadable, policies } = transparency;
  const note = transparencyNote(transparency);
  const rows = timestamps.map((timestamp) => [
    codeCell(logWords(timestamp)?.name ?? timestamp.logId),
    codeCell(logWords(timestamp)?.operator ?? ''),
    new Date(timestamp.at).toISOString(),
    clientViews(timestamp, transparency)
      .map(({ name, counts, why }) => `${name}: ${counts === true ? 'counts' : why}`)
      .join('; '),
  ]);
  return [
    '## Certificate Transparency',
    ...(timestamps.length === 0 ? ['No timestamps.'] : [table(['Log', 'Operator', 'Time', 'Counts'], rows)]),
    ...(unreadable === 0 ? [] : [`${unreadable} more could not be read.`]),
    ...policies.map(policyMessage),
    ...(note === null ? [] : [note]),
  ];
}
