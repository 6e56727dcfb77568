import { connectingClients, refusalsToCome } from '../judge/clients/refusals.ts';
import { clientNames } from '../judge/clients/client-rule.ts';
import type { AuthorityPlace, Severity } from '../findings/definition.ts';
import { describeFindings } from './describe-finding.ts';
import type { CheckedEndpoint } from '../target.ts';
import { displayName } from '../endpoint.ts';
import type { CertificateFacts } from '../facts.ts';
import { longInstant } from '../long-date.ts';
import { listed } from '../one-line.ts';
import { block, code, codeCell, plain, table } from './markdown.ts';
import { reachFinding, type ReportFinding, type ReportUptime, whatHappenedAt } from './reach-finding.ts';
import { postureLines } from './report-posture.ts';
import { reasonWords, revocationReason, revocationWhy } from '../findings/revocation.ts';
import { revocationSentence } from '../judge/revocation.ts';
import { addressLabel } from '../srv.ts';
import { transparencyText } from './transparency-words.ts';
import type { Verdict } from '../verdict.ts';

const SEVERITY_WORDS: Record<Severity, string> = {
  critical: 'Critical',
  warning: 'Warning',
  upcoming: 'Upcoming',
  note: 'Note',
};
const SOURCE_WORDS = {
  sent: 'sent by the server',
  cache: 'not sent; taken from our cache',
  fetched: 'not sent; fetched from its authority',
  trust_store: 'trusted root',
} as const;
const MAX_NAMES = 20;

/** The data of a report. */
export interface Report {
  endpoint: CheckedEndpoint;
  verdict: Verdict;
  /** Facts of the leaf that the host shows now or showed last. */
  facts: CertificateFacts | null;
  /** PEM of the certificates that the server should send; null if they are not known. */
  chainPem: string | null;
  uptime: ReportUptime;
  /** Replaces the sentence about a failure. */
  failureMessage?: string | null;
  /** Place where the reader adds private authorities; the profile if absent. */
  authorityPlace?: AuthorityPlace;
  now: number;
}

/**
 * Returns every finding of a report: first that the endpoint was not reached or is down, unless a finding of the verdict
 * says the same, then those of the verdict.
 */
export function reportFindings({
  endpoint,
  verdict,
  uptime,
  failureMessage = null,
  authorityPlace,
}: Omit<Report, 'facts' | 'chainPem' | 'now'>): ReportFinding[] {
  const reach = reachFinding(endpoint, verdict, uptime, failureMessage);
  const findings = describeFindings(verdict, endpoint, authorityPlace);
  const isRepeated = findings.some(({ message }) => message === reach?.message);
  return [...(reach === null || isRepeated ? [] : [reach]), ...findings];
}

/** Returns everything that a check concluded, as Markdown to paste into a ticket. Untrusted strings in it are escaped. */
export function reportMarkdown(report: Report): string {
  const { verdict, facts, chainPem, now } = report;
  const host = displayName(report.endpoint);
  const findings = reportFindings(report);
  const asLastSeen = verdict.reached ? '' : ', as last seen';
  const where = servingAddresses(verdict);
  const sections = [
    `# ${plain(host)}`,
    `${plain(headline(host, report, findings))} Checked ${utc(verdict.observedAt)}, reported ${utc(now)}.`,
    '## Findings',
    ...(findings.length === 0 ? ['None.'] : findings.map(findingText)),
    ...(chainPem !== null && verdict.findings.some(({ attachment }) => attachment === 'chain')
      ? ['## Chain to send', block('', chainPem)]
      : []),
    ...(facts === null ? [] : [`## Certificate${asLastSeen}`, certificateTable(facts)]),
    ...(facts === null || where === null ? [] : [plain(where)]),
    ...(verdict.reached ? ['## Clients', plain(clientSentence(report))] : []),
    ...(verdict.addresses.length === 0 ? [] : ['## Addresses', addressTable(verdict)]),
    ...(verdict.path.length === 0 ? [] : ['## Path', pathTable(verdict)]),
    ...(facts === null ? [] : [`## Revocation${asLastSeen}`, ...revocationText(verdict)]),
    ...(verdict.transparency === undefined ? [] : transparencyText(verdict.transparency)),
    ...(verdict.renewal === null ? [] : ['## Renewal', renewalText(verdict.renewal)]),
    ...uptimeText(report.uptime),
    ...(verdict.posture === null ? [] : ['## Facts', postureLines(verdict.posture).join('\n')]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function headline(host: string, { verdict }: Report, findings: readonly ReportFinding[]): string {
  const [first] = findings;
  if (!verdict.reached) return first?.message ?? `${host} could not be reached.`;
  const count = (severity: Severity): number => findings.filter((one) => one.severity === severity).length;
  if (first?.code === 'down') return first.message;
  if (count('critical') > 0) return `Clients refuse ${host}: ${first?.message ?? ''}`;
  const unverified = findings.find(({ code }) => code === 'unverifiable');
  if (!verdict.trusted && unverified !== undefined)
    return `We could not verify ${host}. ${unverified.message}`;
  const warnings = count('warning');
  const things = warnings === 1 ? '1 thing needs' : `${warnings} things need`;
  if (needsFetching(verdict))
    return `Only clients that fetch missing certificates trust ${host}. ${things} attention.`;
  if (warnings > 0) return `${host} is trusted. ${things} attention.`;
  const next = findings.find(({ severity }) => severity === 'upcoming');
  if (next !== undefined) return `${host} is trusted today. ${next.message}`;
  return `${host} is trusted, and nothing needs attention.`;
}

/** Returns whether only clients that fetch or cache a missing certificate trust the host. */
export function needsFetching({ trusted, findings }: Verdict): boolean {
  return (
    trusted &&
    findings.some(
      ({ code, severity }) =>
        severity === 'warning' && (code === 'incomplete_chain' || code === 'intermediate_expired'),
    )
  );
}

/** Returns sentences on which clients refuse the endpoint today, and which will from a known day on. */
export function clientSentence({ endpoint, verdict }: Pick<Report, 'endpoint' | 'verdict'>): string {
  const later = refusalsToCome(verdict).map(
    ({ clients, from }) =>
      ` From ${longInstant(from)} on, ${clientNames(clients)} ${clients.length === 1 ? 'refuses' : 'refuse'} to connect.`,
  );
  return todaysClients({ endpoint, verdict }) + later.join('');
}

function todaysClients({ endpoint, verdict }: Pick<Report, 'endpoint' | 'verdict'>): string {
  const clients = connectingClients(verdict, endpoint.protocol);
  const names = (connects: boolean) =>
    listed(clients.filter((one) => one.connects === connects).map(({ name }) => name));
  if (clients.every(({ connects }) => connects)) return `${names(true)} connect.`;
  if (clients.every(({ connects }) => !connects)) return `${names(false)} refuse to connect.`;
  const isOne = (connects: boolean) => clients.filter((one) => one.connects === connects).length === 1;
  const refuse = isOne(false) ? 'refuses' : 'refuse';
  return `${names(false)} ${refuse} to connect; ${names(true)} ${isOne(true) ? 'connects' : 'connect'}.`;
}

/** Returns a sentence on which addresses serve the certificate of a verdict; null if no address serves another one. */
export function servingAddresses({ addresses, leafFingerprint }: Verdict): string | null {
  const here = addresses.filter(({ fingerprint }) => fingerprint === leafFingerprint);
  const others = addresses.filter(
    ({ fingerprint }) => fingerprint !== null && fingerprint !== leafFingerprint,
  );
  if (leafFingerprint === null || others.length === 0) return null;
  const dates = [...new Set(others.map(({ notAfter }) => notAfter ?? 0))];
  const what =
    dates.length === 1 && dates[0]
      ? `one that is valid until ${longInstant(dates[0])}`
      : 'other certificates';
  const who = others.length === 1 ? 'the other address serves' : `the other ${others.length} addresses serve`;
  return `This certificate is served at ${here.map(({ address }) => address).join(', ')}; ${who} ${what}.`;
}

/** Returns words for the certificate of an address if the addresses show different certificates, else null. */
export function certificateAtAddress(
  { fingerprint, notAfter }: Verdict['addresses'][number],
  verdict: Verdict,
): string | null {
  if (fingerprint === null || servingAddresses(verdict) === null) return null;
  if (fingerprint === verdict.leafFingerprint) return 'the certificate above';
  return notAfter === null ? 'another certificate' : `another one, valid until ${longInstant(notAfter)}`;
}

function certificateTable(facts: CertificateFacts): string {
  const names = facts.sans.slice(0, MAX_NAMES).map(codeCell).join(', ');
  const more = facts.sans.length - MAX_NAMES;
  return table(
    ['Field', 'Value'],
    [
      ['Subject', codeCell(facts.subject)],
      ['Issuer', codeCell(facts.authorityFullDn)],
      ['Valid from', utc(facts.notBefore)],
      ['Valid until', utc(facts.notAfter)],
      ['Serial number', codeCell(facts.serialNumber)],
      ['SHA-256', codeCell(facts.fingerprint)],
      ['Names', names === '' ? '–' : names + (more > 0 ? ` and ${more} more` : '')],
    ],
  );
}

function findingText(finding: ReportFinding): string {
  const { severity, message, addresses, evidence, fix, command } = finding;
  return [
    `### ${SEVERITY_WORDS[severity]}: ${plain(message)}`,
    ...(fix === null ? [] : [`**What to do:** ${plain(fix)}`]),
    ...(evidence.length === 0
      ? []
      : [evidence.map(({ label, value }) => `- ${plain(label)}: ${code(value)}`).join('\n')]),
    ...(addresses.length === 0 ? [] : [`Seen at ${addresses.map(code).join(', ')}.`]),
    ...(command === null ? [] : ['To reproduce it:', block('sh', command)]),
  ].join('\n\n');
}

function addressTable(verdict: Verdict): string {
  return table(
    ['Address', 'Certificate', 'Expires', 'TLS', 'Group', 'ALPN', 'Time', 'Result'],
    verdict.addresses.map((one) => {
      const { server, fingerprint, notAfter, tlsVersion, group, alpn, durationMs } = one;
      const happened = whatHappenedAt(one);
      const served = certificateAtAddress(one, verdict);
      return [
        codeCell(addressLabel(one)) + (server === undefined ? '' : ` of ${codeCell(server.name)}`),
        codeCell(fingerprint?.slice(0, 16) ?? ''),
        notAfter === null ? '–' : utc(notAfter),
        codeCell(tlsVersion ?? ''),
        codeCell(group ?? ''),
        codeCell(alpn ?? ''),
        `${Math.round(durationMs)} ms`,
        happened === null ? `answered${served === null ? '' : ` with ${served}`}` : plain(happened),
      ];
    }),
  );
}

function pathTable({ path }: Verdict): string {
  return table(
    ['Certificate', 'Role', 'Expires', 'Source', 'SHA-256'],
    path.map(({ name, role, notAfter, source, fingerprint }) => [
      codeCell(name),
      role === 'anchor' ? 'root' : role,
      utc(notAfter),
      SOURCE_WORDS[source],
      codeCell(fingerprint.slice(0, 16)),
    ]),
  );
}

function revocationText({ revocation }: Verdict): string[] {
  const { at, reason, revokedAt, sources } = revocation;
  const details = [
    ...(revokedAt === null ? [] : [`Revoked ${utc(revokedAt)}.`]),
    ...(reason === null ? [] : [`Reason: ${plain(revocationReason(reason) ?? reasonWords(reason))}.`]),
    ...(at === null ? [] : [`Received ${utc(at)}.`]),
  ];
  const rows = sources.map((one) => [
    one.source.toUpperCase(),
    codeCell(one.url ?? ''),
    one.why === null ? STATE_WORDS[one.state] : plain(revocationWhy(one.why)),
    utc(one.at),
    one.nextUpdate === null ? '–' : utc(one.nextUpdate),
  ]);
  return [
    [revocationSentence(revocation), ...details].join(' '),
    ...(rows.length === 0 ? [] : [table(['Source', 'Address', 'Answer', 'Received', 'Valid until'], rows)]),
  ];
}

const STATE_WORDS = { good: 'Not revoked', revoked: 'Revoked', none: 'No valid answer' } as const;

function uptimeText({ state, downSince, percent, windowDays }: ReportUptime): string[] {
  if (state === null || state === 'unknown') return [];
  const now = state === 'up' ? 'Up' : `Down${downSince === null ? '' : ` since ${longInstant(downSince)}`}`;
  const share =
    percent === null || windowDays === null ? '' : `; ${percent}% over the last ${windowDays} days`;
  return ['## Uptime', `${now}${share}.`];
}

function renewalText({ from, to, source, explanationUrl }: NonNullable<Verdict['renewal']>): string {
  const by = source === 'ari' ? 'according to its authority' : 'based on its lifetime';
  const why = explanationUrl === null ? '' : ` Explanation: ${code(explanationUrl)}`;
  return `Expected between ${utc(from)} and ${utc(to)}, ${by}.${why}`;
}

/** Returns an instant as "2026-11-22 14:32 UTC". */
function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
