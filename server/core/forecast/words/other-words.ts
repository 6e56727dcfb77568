import { count } from '../../../../contract/words.ts';
import { longInstant } from '../../long-date.ts';
import type { CheckReader, ReasonWords, WordsByReason } from './reader.ts';

const address = (check: CheckReader): ReasonWords['evidence'] => [
  { label: 'Address', value: check.text('address') },
  ...(check.text('status') === '' ? [] : [{ label: 'HTTP status', value: check.text('status') }]),
  ...(check.text('url') === '' ? [] : [{ label: 'URL', value: check.text('url') }]),
];

const NO_CONNECTION: Readonly<Record<string, string>> = {
  refused: 'refuses connections',
  timeout: 'does not answer',
  reset: 'closes connections at once',
  unroutable: 'cannot be reached',
};
const NO_ANSWER: Readonly<Record<string, string>> = {
  timeout: 'accepts connections but does not answer',
  closed: 'closes connections without an answer',
  not_http: 'does not speak HTTP',
};
const REDIRECTS: Readonly<Record<string, string>> = {
  port: 'to a port other than 80 and 443',
  scheme: 'to a scheme other than http and https',
  address: 'to an IP address',
  too_many: 'more than ten times',
  unresolved: 'to a name that does not exist',
};

export const HTTP_WORDS: WordsByReason = {
  answers: () => ({
    short: null,
    message: 'Port 80 answers requests for the ACME challenge path as it should.',
  }),
  port_closed: (check) => ({
    short: `Port 80 of ${check.names} cannot be reached`,
    message: `Port 80 of ${check.names} ${NO_CONNECTION[check.text('why')] ?? 'cannot be reached'}. ${check.consequence}${check.isCertain ? '' : ' Sites that validate by DNS may close it, and some clients open it only while they renew.'}`,
    fix: 'If you use http-01, open port 80 to everybody: CAs connect from several networks.',
    evidence: address(check),
  }),
  no_answer: (check) => ({
    short: `Port 80 of ${check.names} does not answer`,
    message: `Port 80 of ${check.names} ${NO_ANSWER[check.text('why')] ?? 'does not answer'}. ${check.consequence}`,
    fix: 'If you use http-01, find out why the web server does not answer requests for /.well-known/acme-challenge/.',
    evidence: address(check),
  }),
  redirect: (check) => ({
    short: `CAs do not follow the redirect of ${check.names}`,
    message: `${check.names} ${check.verb('redirects', 'redirect')} requests for the ACME challenge path ${REDIRECTS[check.text('why')] ?? 'to another place'}. CAs do not follow this redirect. ${check.consequence}`,
    fix: 'Exclude /.well-known/acme-challenge/ from the redirect.',
    evidence: address(check),
  }),
  other_redirect: (check) => ({
    short: `CAs do not follow the redirect of ${check.names}`,
    message: `${check.names} ${check.verb('answers', 'answer')} requests for the ACME challenge path with a redirect of status ${check.text('status')}. CAs follow only the statuses 301, 302, 307 and 308. ${check.consequence}`,
    fix: 'Exclude /.well-known/acme-challenge/ from the redirect.',
    evidence: address(check),
  }),
  refused: (check) => ({
    short: `${check.names} may refuse the CA`,
    message: `${check.names} ${check.verb('answers', 'answer')} requests for the ACME challenge path with status ${check.text('status')}. If the CA gets the same answer, http-01 fails. We cannot see what the CA gets while a renewal runs.`,
    fix: 'Let requests for /.well-known/acme-challenge/ pass without a password or a filter.',
    evidence: address(check),
  }),
  server_error: (check) => ({
    short: `${check.names} ${check.verb('answers', 'answer')} with errors`,
    message: `${check.names} ${check.verb('answers', 'answer')} requests for the ACME challenge path with status ${check.text('status')}. If the CA gets the same answer, http-01 fails. We cannot see what the CA gets while a renewal runs.`,
    fix: 'Let the web server answer requests for /.well-known/acme-challenge/ itself instead of passing them to the application.',
    evidence: address(check),
  }),
  page: (check) => ({
    short: `${check.names} ${check.verb('answers', 'answer')} with a page where the CA expects a token`,
    message: `${check.names} ${check.verb('answers', 'answer')} requests for a token that does not exist with a page instead of an error. If the CA gets this page instead of its token, http-01 fails.`,
    fix: 'Exclude /.well-known/acme-challenge/ from the rule that serves one page for all paths.',
    evidence: address(check),
  }),
  dead_ipv6: (check) => ({
    short: `The IPv6 address of ${check.names} does not answer`,
    message: `${check.names} ${check.verb('has', 'have')} an IPv6 address that does not answer at port 80. Let's Encrypt then uses IPv4; other CAs may not.`,
    fix: 'Remove the AAAA record, or let the server answer at this address.',
    evidence: address(check),
  }),
  dead_address: (check) => ({
    short: `An address of ${check.names} does not answer`,
    message: `One address of ${check.names} does not answer at port 80. A CA that chooses it cannot validate by http-01.`,
    fix: 'Remove the DNS record of this address, or let the server answer at this address.',
    evidence: address(check),
  }),
};

export const TLS_ALPN_WORDS: WordsByReason = {
  port_closed: (check) => ({
    short: `Port 443 of ${check.names} cannot be reached`,
    message: `Port 443 of ${check.names} cannot be reached. ${check.consequence}`,
    fix: 'Find out why the server cannot be reached.',
  }),
  dead_address: (check) => ({
    short: `An address of ${check.names} does not answer`,
    message: `One address of ${check.names} does not answer at port 443. A CA that chooses it cannot validate by tls-alpn-01.`,
    fix: 'Remove the DNS record of this address, or let the server answer at this address.',
    evidence: address(check),
  }),
};

const until = (check: CheckReader): string => longInstant(check.number('expiresAt'));

export const REGISTRATION_WORDS: WordsByReason = {
  lasts: (check) => ({
    short: null,
    message: `The domain is registered until ${until(check)}, after the renewal.`,
  }),
  ends: (check) => ({
    short: `The registration of ${check.names} ends before the renewal`,
    message: `${check.names} is registered until ${until(check)}, before the renewal is expected. If nobody extends it, the renewal fails.`,
    fix: 'Extend the registration, or make sure that your registrar does so.',
  }),
  ended: (check) => ({
    short: `The registration of ${check.names} has ended`,
    message: `The registration of ${check.names} ended on ${until(check)}. The registry may remove the domain, and then the renewal fails.`,
    fix: 'Extend the registration now.',
  }),
  not_found: (check) => ({
    short: `The registry does not know ${check.names}`,
    message: `The registry has no entry for ${check.names}. If the domain is gone, the renewal fails.`,
    fix: 'Check the registration of the domain.',
  }),
};

const expected = (check: CheckReader): string => longInstant(check.number('expectedAt'));

export const SCHEDULE_WORDS: WordsByReason = {
  ari: (check) => ({
    short: null,
    message: `The CA asks for the renewal between ${expected(check)} and ${longInstant(check.number('until'))}.`,
  }),
  habit: (check) => ({
    short: null,
    message: `We expect the renewal on ${expected(check)}, because earlier certificates were renewed after ${count(check.number('days'), 'day')}.`,
  }),
  lifetime: (check) => ({
    short: null,
    message: `We expect the renewal on ${expected(check)}, the usual time for a certificate with this lifetime.`,
  }),
};

export const LIFETIME_WORDS: WordsByReason = {
  shorter: (check) => ({
    short: null,
    message: `The next certificate will be valid for at most ${count(check.number('days'), 'day')} instead of ${check.text('lifetime')}.`,
  }),
  timer: (check) => ({
    short: 'The next certificate may expire before its renewal',
    message: `The next certificate will be valid for at most ${count(check.number('days'), 'day')} instead of ${check.text('lifetime')}. So far, this certificate was renewed ${count(check.number('timer'), 'day')} after it was issued. For the next one, that is too late or leaves no time for a second attempt.`,
    fix: 'Set your client to renew in the renewal window of the CA (ARI) or after a share of the lifetime, not after a fixed number of days.',
  }),
};

export const OVERDUE_WORDS: WordsByReason = {
  ari: (check) => ({
    short: 'The renewal is late',
    message: `The CA asked for the renewal by ${longInstant(check.number('until'))}, but the certificate was not renewed.`,
    fix: 'Find the error in the log of your client, and renew the certificate.',
  }),
  own: (check) => ({
    short: 'The renewal is later than usual',
    message: `This certificate is ${count(check.number('age'), 'day')} old. Its last ${count(check.number('renewals'), 'renewal')} took place after about ${count(check.number('days'), 'day')}.`,
    fix: 'Find the error in the log of your client, and renew the certificate.',
  }),
  others: (check) => ({
    short: 'The renewal is later than that of your other certificates',
    message: `This certificate is ${count(check.number('age'), 'day')} old. Your other certificates of this CA were renewed after about ${count(check.number('days'), 'day')} (${count(check.number('renewals'), 'renewal')}).`,
    fix: 'Find the error in the log of your client, and renew the certificate.',
  }),
};
