import { styleText } from 'node:util';
import { revocationSentence } from '../../server/core/judge/revocation.ts';
import { duration, longDate } from '../../server/core/long-date.ts';
import { oneLine } from '../../server/core/one-line.ts';
import {
  failureSentence,
  replyAt,
  type ReportFinding,
  whatHappenedAt,
} from '../../server/core/report/reach-finding.ts';
import { isPostureComplete, untestedPosture } from '../../server/core/report/report-posture.ts';
import {
  certificateAtAddress,
  clientSentence,
  needsFetching,
  reportFindings,
  servingAddresses,
} from '../../server/core/report/report.ts';
import { addressLabel } from '../../server/core/srv.ts';
import { describeTarget } from '../../server/core/target.ts';
import type { Severity } from '../../server/core/findings/definition.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { publicKeyName } from '../../server/pki/public-key.ts';
import { type Checked, reportOf } from './check-endpoint.ts';
import { printable } from './printable.ts';
import { DAY_MS } from '../../contract/durations.ts';

type Style = Parameters<typeof styleText>[0];

const LABEL_WIDTH = 13;
const MAX_NAMES = 6;
const MARKS: Record<Severity, { mark: string; style: Style }> = {
  critical: { mark: '✗', style: 'red' },
  warning: { mark: '!', style: 'yellow' },
  upcoming: { mark: '›', style: 'cyan' },
  note: { mark: '·', style: 'dim' },
};
const SOURCES = {
  sent: '',
  cache: ' (not sent by the server)',
  fetched: ' (not sent by the server)',
  trust_store: '',
};

/** Formats the report on an endpoint for a terminal. Adds escape sequences for colours only if `coloured`. */
export function textReport(checked: Checked, now: number, coloured: boolean): string {
  const paint = (style: Style, text: string): string =>
    coloured ? styleText(style, text, { validateStream: false }) : text;
  const row = (label: string, lines: readonly string[]): string[] =>
    lines.map((line, index) => {
      const name = (index === 0 ? label : '').padEnd(LABEL_WIDTH);
      return `  ${paint('dim', name)} ${printable(line)}`;
    });
  const { verdict, host } = checked;
  const { style, words } = conclusion(checked, now);
  const target = describeTarget(checked.endpoint.target);
  return [
    `${paint('bold', printable(host))}  ${paint(style, printable(words))}`,
    ...row('Target', target === null ? [] : [target]),
    ...row('Certificate', certificateLines(checked)),
    ...row('Path', pathLines(verdict)),
    ...row('Revocation', verdict.reached ? [revocationSentence(verdict.revocation)] : []),
    ...row('Renewal', renewalLines(checked)),
    ...row('Clients', verdict.reached ? [clientSentence(checked)] : []),
    ...row('Addresses', addressLines(verdict)),
    ...row('Answer', answerLines(checked)),
    ...row('Facts', factLines(verdict)),
    ...reportFindings(reportOf(checked, now)).flatMap((finding) => findingLines(finding, paint)),
    '',
  ].join('\n');
}

function conclusion({ verdict, host }: Checked, now: number): { style: Style; words: string } {
  if (!verdict.reached)
    return {
      style: 'red',
      words: `not reached: ${verdict.failure ? failureSentence(verdict.failure, host) : 'no answer'}`,
    };
  const { limiting } = verdict;
  const ends = limiting === null ? '' : `, ${expiry(limiting.notAfter, now)}`;
  if (verdict.revocation.state === 'revoked') return { style: 'red', words: `revoked${ends}` };
  if (!verdict.trusted)
    return verdict.findings.some(({ severity }) => severity === 'critical')
      ? { style: 'red', words: `not trusted${ends}` }
      : { style: 'yellow', words: `could not be verified${ends}` };
  if (needsFetching(verdict))
    return { style: 'yellow', words: `trusted only by clients that fetch missing certificates${ends}` };
  return verdict.findings.some(({ severity }) => severity === 'warning')
    ? { style: 'yellow', words: `trusted, with a warning${ends}` }
    : { style: 'green', words: `fine${ends}` };
}

function expiry(notAfter: number, now: number): string {
  const days = Math.floor(Math.abs(notAfter - now) / DAY_MS);
  const span = days === 0 ? 'less than a day' : days === 1 ? '1 day' : duration(days * DAY_MS);
  return notAfter > now ? `${span} left` : `expired ${span} ago`;
}

function certificateLines({ leaf, verdict }: Checked): string[] {
  if (leaf === null) return [];
  const { subjectAltNames, issuer, notBefore, notAfter, key } = leaf;
  const names = [...subjectAltNames.dnsNames, ...subjectAltNames.ipAddresses].map(oneLine);
  const more = names.length - MAX_NAMES;
  const by = [issuer.attribute('O'), issuer.attribute('CN')].flatMap((part) => part ?? []).map(oneLine);
  const where = servingAddresses(verdict);
  return [
    `for ${names.slice(0, MAX_NAMES).join(', ') || 'no name'}${more > 0 ? ` and ${more} more` : ''}`,
    `by ${by.join(', ') || 'an authority without a name'}`,
    `valid from ${longDate(notBefore, 'UTC')} to ${longDate(notAfter, 'UTC')}, ${publicKeyName(key)}`,
    ...(where === null ? [] : [where]),
  ];
}

function pathLines({ path }: Verdict): string[] {
  if (path.length === 0) return [];
  return [path.map(({ name, source }) => `${name}${SOURCES[source]}`).join(' → ')];
}

function renewalLines({ verdict: { renewal }, leaf }: Checked): string[] {
  // Show no renewal window for a self-signed certificate, because no CA renews it.
  if (renewal === null || leaf?.selfIssued === true) return [];
  const expectation = renewal.source === 'ari' ? 'requested by its CA' : 'expected';
  const why = renewal.explanationUrl === null ? [] : [`reason: ${renewal.explanationUrl}`];
  return [`${expectation} from ${longDate(renewal.from, 'UTC')} to ${longDate(renewal.to, 'UTC')}`, ...why];
}

function addressLines(verdict: Verdict): string[] {
  const { addresses } = verdict;
  const width = Math.max(...addresses.map((one) => addressLabel(one).length), 0);
  return addresses.map((one) => {
    const { server, tlsVersion, group, alpn, durationMs, failure, fingerprint } = one;
    const seen =
      failure === null
        ? [
            server?.name,
            tlsVersion,
            group,
            alpn,
            `${durationMs} ms`,
            fingerprint?.slice(0, 16),
            certificateAtAddress(one, verdict),
          ]
            .filter(Boolean)
            .join('  ')
        : [whatHappenedAt(one), replyAt(one)].filter(Boolean).join(': ');
    return `${addressLabel(one).padEnd(width)}  ${seen}`;
  });
}

function answerLines({ observation: { http } }: Checked): string[] {
  if (http === null) return [];
  if (http.outcome === 'answered') return [`${http.status} to ${http.method} / after ${http.durationMs} ms`];
  const reasons = {
    timeout: 'no answer in time',
    closed: 'no answer: the connection was closed',
    not_http: 'the answer is not HTTP',
    not_http2: 'agreed on HTTP/2, but the answer is not HTTP/2',
    too_large: 'the answer is larger than we accept',
  };
  return [reasons[http.reason]];
}

function factLines({ posture }: Verdict): string[] {
  if (posture === null) return [];
  const { tlsVersions, postQuantum, caa, registration } = posture;
  const untested = untestedPosture(posture);
  const why = isPostureComplete(posture) ? '' : ', to keep failed handshakes few';
  const offered = tlsVersions.flatMap((one) => (one.offered === true ? [one.version] : []));
  const quantum = {
    negotiated: `post-quantum keys with ${postQuantum.group ?? ''}`,
    not_offered: 'no post-quantum keys',
    intolerant: 'does not answer clients that offer post-quantum keys, as browsers do',
    unknown: 'post-quantum keys: unknown',
  }[postQuantum.state];
  const issuers = caa.outcome === 'records' ? caa.records.map(({ tag, value }) => `${tag} ${value}`) : [];
  const registered = {
    expires: () =>
      registration.outcome === 'expires'
        ? [`${registration.domain} is registered until ${longDate(registration.expiresAt, 'UTC')}`]
        : [],
    no_date: () => ['the registry publishes no date for the domain'],
    not_found: () => ['the registry does not know the domain'],
    unavailable: () => [],
    not_applicable: () => [],
  }[registration.outcome]();
  return [
    ...(offered.length > 0 ? [`offers ${offered.join(', ')}`] : []),
    quantum,
    ...(issuers.length > 0 ? [`CAA: ${issuers.join('; ')}`] : []),
    ...(caa.outcome === 'none' ? ['CAA: none, any CA may issue'] : []),
    ...(caa.outcome === 'unreadable' ? [`CAA: the records at ${caa.domain} could not be read`] : []),
    ...registered,
    ...(untested.length === 0 ? [] : [`not tested${why}: ${untested.join('; ')}`]),
  ];
}

function findingLines(
  { severity, message, addresses, fix, command, attachment }: ReportFinding,
  paint: (style: Style, text: string) => string,
): string[] {
  const { mark, style } = MARKS[severity];
  const where = addresses.length > 0 ? ` (${addresses.join(', ')})` : '';
  return [
    '',
    `  ${paint(style, `${mark} ${severity}`)}  ${printable(message)}${paint('dim', printable(where))}`,
    ...(fix === null ? [] : [`      ${paint('dim', 'Fix ')} ${printable(fix)}`]),
    ...(attachment === null
      ? []
      : [`      ${paint('dim', '    ')} (--markdown prints this file, --json has it as chain_pem)`]),
    ...(command === null ? [] : [`      ${paint('dim', 'See ')} ${printable(command)}`]),
  ];
}
