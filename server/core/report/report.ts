import type { CertificateFacts } from '../facts.ts';
import { block, code, codeCell, plain, table } from './markdown.ts';
import { whatHappened } from '../reach-failure.ts';
import { revocationReason, revocationSentence, revocationWhy } from '../judge/revocation.ts';
import { postureLines } from './report-posture.ts';
import type { Finding, Severity, Verdict } from '../verdict.ts';

const SEVERITY_WORDS: Record<Severity, string> = { critical: 'Critical', warning: 'Warning', note: 'Note' };
const SOURCE_WORDS = {
  sent: 'sent by the server',
  cache: 'not sent; known from elsewhere',
  fetched: 'not sent; fetched from its authority',
  trust_store: 'trusted root',
} as const;
const MOST_NAMES = 20;

/**
 * Everything that a check concluded, as Markdown to paste into a ticket. `host`: as people know it; `facts`: of the shown
 * leaf; `chainPem`: what the server should send, where that is known. Strangers' strings in it are no markup.
 */
export function reportMarkdown(report: {
  host: string;
  verdict: Verdict;
  facts: CertificateFacts | null;
  chainPem: string | null;
  now: number;
}): string {
  const { host, verdict, facts, chainPem, now } = report;
  const sections = [
    `# ${plain(host)}`,
    `${plain(headline(host, verdict))} Checked ${utc(verdict.observedAt)}, reported ${utc(now)}.`,
    ...(facts === null ? [] : ['## Certificate', certificateTable(facts)]),
    '## Findings',
    ...(verdict.findings.length === 0 ? ['None.'] : verdict.findings.map(findingText)),
    ...(chainPem !== null && verdict.findings.some(({ attachment }) => attachment === 'chain')
      ? ['## Chain to send', block('', chainPem)]
      : []),
    ...(verdict.addresses.length === 0 ? [] : ['## Addresses', addressTable(verdict)]),
    ...(verdict.path.length === 0 ? [] : ['## Path', pathTable(verdict)]),
    ...(facts === null ? [] : ['## Revocation', ...revocationText(verdict)]),
    ...(verdict.renewal === null ? [] : ['## Renewal', renewalText(verdict.renewal)]),
    ...(verdict.posture === null ? [] : ['## Facts', postureLines(verdict.posture).join('\n')]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function headline(host: string, { failure, findings, reached }: Verdict): string {
  if (!reached) return failure?.message ?? `${host} could not be read.`;
  const count = (severity: Severity): number => findings.filter((one) => one.severity === severity).length;
  if (count('critical') > 0) return `Clients refuse ${host}: ${findings[0]?.message ?? ''}`;
  const warnings = count('warning');
  if (warnings > 0)
    return `${host} is trusted; ${warnings} ${warnings === 1 ? 'thing needs' : 'things need'} attention.`;
  return `${host} is trusted, and nothing needs attention.`;
}

function certificateTable(facts: CertificateFacts): string {
  const names = facts.sans.slice(0, MOST_NAMES).map(codeCell).join(', ');
  const more = facts.sans.length - MOST_NAMES;
  return table(
    ['Certificate', ''],
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

function findingText(finding: Finding): string {
  const { severity, message, addresses, evidence, fix, command } = finding;
  return [
    `### ${SEVERITY_WORDS[severity]}: ${plain(message)}`,
    ...(fix === null ? [] : [`**What to do:** ${plain(fix)}`]),
    ...(evidence.length === 0
      ? []
      : [evidence.map(({ label, value }) => `- ${plain(label)}: ${code(value)}`).join('\n')]),
    ...(addresses.length === 0 ? [] : [`Seen at ${addresses.map(code).join(', ')}.`]),
    ...(command === null ? [] : [`See it yourself:`, block('sh', command)]),
  ].join('\n\n');
}

function addressTable({ addresses }: Verdict): string {
  return table(
    ['Address', 'Certificate', 'Expires', 'TLS', 'Group', 'Time', 'Result'],
    addresses.map(({ address, fingerprint, notAfter, tlsVersion, group, durationMs, failure }) => [
      codeCell(address),
      codeCell(fingerprint?.slice(0, 16) ?? ''),
      notAfter === null ? '–' : utc(notAfter),
      codeCell(tlsVersion ?? ''),
      codeCell(group ?? ''),
      `${Math.round(durationMs)} ms`,
      failure === null ? 'answered' : plain(whatHappened(failure.reason)),
    ]),
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
    ...(reason === null ? [] : [`Reason: ${plain(revocationReason(reason) ?? reason)}.`]),
    ...(at === null ? [] : [`Read ${utc(at)}.`]),
  ];
  const rows = sources.map((one) => [
    one.source.toUpperCase(),
    codeCell(one.url ?? ''),
    one.why === null ? one.state : plain(revocationWhy(one.why)),
    utc(one.at),
    one.nextUpdate === null ? '–' : utc(one.nextUpdate),
  ]);
  return [
    [revocationSentence(revocation), ...details].join(' '),
    ...(rows.length === 0 ? [] : [table(['Source', 'Address', 'Says', 'Read', 'Valid until'], rows)]),
  ];
}

function renewalText({ from, to, source, explanationUrl }: NonNullable<Verdict['renewal']>): string {
  const by = source === 'ari' ? 'by its authority’s window (RFC 9773)' : 'by its lifetime';
  const why = explanationUrl === null ? '' : ` Explanation: ${code(explanationUrl)}`;
  return `Expected between ${utc(from)} and ${utc(to)}, ${by}.${why}`;
}

/** "2026-11-22 14:32 UTC" */
function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
