import { CLIENT_NAMES } from '../../../contract/check-words.ts';
import { DOUBTS, type PolicyGap, type TimestampStatus } from '../../pki/ct/policies.ts';
import { listed, oneLine } from '../one-line.ts';
import type { ListGap, TransparencyClient, TransparencyVerdict } from '../verdict.ts';
import { codeCell, table } from './markdown.ts';

/* Words for the Certificate Transparency timestamps (SCTs) of a certificate. */

type Timestamp = TransparencyVerdict['timestamps'][number];
type Policy = TransparencyVerdict['policies'][number];

const CLIENTS_WITH_POLICY: readonly TransparencyClient[] = ['chromium', 'firefox', 'apple'];

/** Returns a verdict without what only newer versions know: other ways of delivery, clients and outcomes. */
export function knownTransparency({
  timestamps,
  unreadable,
  policies,
  missing,
  ...rest
}: TransparencyVerdict): TransparencyVerdict {
  const known = timestamps.filter(({ delivery }) => ['certificate', 'staple'].includes(delivery));
  return {
    ...rest,
    timestamps: known,
    unreadable: unreadable + timestamps.length - known.length,
    policies: policies.filter(
      ({ client, outcome }) =>
        CLIENTS_WITH_POLICY.includes(client) && ['met', 'not_met', 'not_known'].includes(outcome),
    ),
    ...(missing && { missing: missing.filter(({ client }) => CLIENTS_WITH_POLICY.includes(client)) }),
  };
}

/** Each completes "It does not count for Chrome: …". */
const STATUS_WORDS: Record<Exclude<TimestampStatus, 'counts'>, string> = {
  unknown_log: 'the log is not in the browser’s list',
  not_verified: 'not known, because we could not verify the signature',
  unknown_state: 'not known, because we do not know whether the browser accepts the log today',
  unverified_staple: 'not known, because the OCSP response is not verified as “good”',
  distrusted_root: 'not known, because the browser may distrust newer certificates of this root',
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
    if (words === undefined) return { client, name, counts: null, why: `not known: ${oneLine(status)}` };
    return { client, name, counts: DOUBTS.some((doubt) => doubt === status) ? null : false, why: words };
  });
}

/** Each completes "Not known for Chrome: …". */
const GAPS: Record<ListGap, string> = {
  off: 'no list of logs is in use here',
  not_fetched: 'this server has not fetched the list of logs yet. The next check may tell',
  failed: 'this server could not fetch the list of logs',
  too_old: 'the list of logs is older than 70 days',
};

/** Returns how old the lists of logs are, and why one is missing, or why the verdict has no policies; null if that is not known. */
export function transparencyNote({ isRequired, policies, missing }: TransparencyVerdict): string | null {
  if (isRequired === null)
    return 'We do not know for which browsers they count: the check found no valid path to a root.';
  if (!isRequired) return 'Browsers demand timestamps only from certificates of public authorities.';
  if (policies.length === 0 && missing === undefined)
    return 'We do not know for which browsers they count: this server has no current list of logs.';
  const clients = new Map<string, string[]>();
  for (const { client, asOf } of policies) {
    if (asOf === undefined) continue;
    const day = new Date(asOf).toISOString().slice(0, 10);
    clients.set(day, [...(clients.get(day) ?? []), CLIENT_NAMES[client]]);
  }
  const lists = Array.from(clients, ([day, names]) => `${day} for ${listed(names)}`);
  const gaps = Map.groupBy(missing ?? [], ({ why }) => GAPS[why] as string | undefined);
  const sentences = [
    ...(lists.length === 0 ? [] : [`Judged by the lists of logs of ${lists.join(', and of ')}.`]),
    ...Array.from(gaps, ([why = 'this server has no current list of logs', clientsWithout]) => {
      const names = clientsWithout.map(({ client }) => CLIENT_NAMES[client]);
      return `Not known for ${listed(names)}: ${why}.`;
    }),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

const GAP_WORDS: Record<PolicyGap, (policy: Policy) => string> = {
  too_few: ({ counted, needed }) =>
    `needs ${needed} timestamps from different logs in the certificate, and ${counted} ${counted === 1 ? 'counts' : 'count'}`,
  one_operator: () => 'needs timestamps from logs of two operators, and all that count are from one',
  only_retired_logs: () => 'needs a timestamp from a log that is not retired',
  only_static_logs: () => 'needs a timestamp from an RFC 6962 log, and all that count are from static logs',
};

/** Each completes "Not known, because …", where SCTs have that status. */
const DOUBT_WORDS: Record<(typeof DOUBTS)[number], string> = {
  not_verified: 'we could not verify every signature',
  unknown_state: 'we do not know whether it accepts every log today',
  unverified_staple: 'the OCSP response is not verified as “good”',
  distrusted_root: 'it may distrust newer certificates of this root',
};

/** Returns a sentence that says whether the timestamps are enough for a client. */
export function policyMessage(
  policy: Policy,
  { timestamps, unreadable }: Pick<TransparencyVerdict, 'timestamps' | 'unreadable'>,
): string {
  const { client, outcome, why, counted, needed } = policy;
  const name = CLIENT_NAMES[client];
  if (outcome === 'met')
    return counted < needed
      ? `${name}: enough, because those in the OCSP response count.`
      : `${name}: enough (${counted} count, ${needed} needed).`;
  const doubts = DOUBTS.filter((doubt) => timestamps.some((one) => one[client] === doubt));
  const reasons = [
    ...doubts.map((doubt) => DOUBT_WORDS[doubt]),
    ...(unreadable === 0 ? [] : ['we did not read every timestamp']),
  ];
  const gap = why === null ? undefined : (GAP_WORDS[why] as ((policy: Policy) => string) | undefined);
  const sentence = gap === undefined ? null : `${name} ${gap(policy)}.`;
  if (outcome === 'not_met') return sentence ?? `${name}: not enough.`;
  const unread = 'we do not read timestamps in the TLS handshake';
  return reasons.length > 0 || sentence === null
    ? `${name}: not known whether enough, because ${listed([...reasons, unread])}.`
    : `${sentence} We do not know whether it refuses the certificate, because ${unread}.`;
}

/** Returns the section of the report as Markdown. Untrusted strings are escaped. */
export function transparencyText(verdict: TransparencyVerdict): string[] {
  const transparency = knownTransparency(verdict);
  const { timestamps, unreadable, policies } = transparency;
  const note = transparencyNote(transparency);
  const rows = timestamps.map((timestamp) => [
    codeCell(logWords(timestamp)?.name ?? timestamp.logId),
    codeCell(logWords(timestamp)?.operator ?? ''),
    new Date(timestamp.at).toISOString(),
    timestamp.delivery === 'staple' ? 'OCSP response' : 'certificate',
    clientViews(timestamp, transparency)
      .map(({ name, counts, why }) => `${name}: ${counts === true ? 'counts' : why}`)
      .join('; '),
  ]);
  return [
    '## Certificate Transparency',
    ...(timestamps.length === 0
      ? [unreadable === 0 ? 'No timestamps.' : 'No readable timestamps.']
      : [table(['Log', 'Operator', 'Time', 'In', 'Counts'], rows)]),
    ...(unreadable === 0 || timestamps.length === 0
      ? []
      : [`${unreadable} more could not be read, or come after the first 20.`]),
    ...policies.map((policy) => policyMessage(policy, transparency)),
    ...(note === null ? [] : [note]),
  ];
}
