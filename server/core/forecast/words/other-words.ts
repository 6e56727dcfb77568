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
  reset: 'ends connections at once',
  unroutable: 'cannot be reached',
};
const NO_ANSWER: Readonly<Record<string, string>> = {
  timeout: 'accepts connections and does not answer',
  closed: 'ends connections without an answer',
  not_http: 'answers something else than HTTP',
};
const REDIRECTS: Readonly<Record<string, string>> = {
  port: 'to a port other than 80 and 443',
  scheme: 'to something else than http and https',
  address: 'to an IP address',
  too_many: 'more than ten times',
  unresolved: 'to a name that does not exist',
};

export const HTTP_WORDS: WordsByReason = {
  answers: () => ({ short: null, message: 'Port 80 answers requests for the path of ACME as it should.' }),
  port_closed: (check) => ({
    short: `Port 80 of ${check.names} cannot be reached`,
    message: `Port 80 of ${check.names} ${NO_CONNECTION[check.text('why')] ?? 'cannot be reached'}. ${check.consequence}${check.isCertain ? '' : ' Sites that validate by DNS may close it, and some clients open it only while they renew.'}`,
    fix: 'If you use http-01, let everybody connect to port 80.',
    evidence: address(check),
  }),
  no_answer: (check) => ({
    short: `Port 80 of ${check.names} does not answer`,
    message: `Port 80 of ${check.names} ${NO_ANSWER[check.text('why')] ?? 'does not answer'}. ${check.consequence}`,
    fix: 'If you use http-01, find out why the web server does not answer requests for /.well-known/acme-challenge/.',
    evidence: address(check),
  }),
  redirect: (check) => ({
    short: `${check.names} ${check.verb('redirects', 'redirect')} where CAs do not follow`,
    message: `${check.names} ${check.verb('redirects', 'redirect')} requests for the path of ACME ${REDIRECTS[check.text('why')] ?? 'where CAs do not follow'}. ${check.consequence}`,
    fix: 'Exclude /.well-known/acme-challenge/ from the redirect.',
    evidence: address(check),
  }),
  other_redirect: (check) => ({
    short: `${check.names} ${check.verb('redirects', 'redirect')} where CAs do not follow`,
    message: `${check.names} ${check.verb('answers', 'answer')} requests for the path of ACME with status ${check.text('status')}, which CAs do not follow. ${check.consequence}`,
    fix: 'Exclude /.well-known/acme-challenge/ from the redirect.',
    evidence: address(check),
  }),
  refused: (check) => ({
    short: `${check.names} may refuse the CA`,
    message: `${check.names} ${check.verb('answers', 'answer')} requests for the path of ACME with status ${check.text('status')}. If the CA gets the same answer, http-01 fails. We cannot see what the CA gets while a renewal runs.`,
    fix: 'Exclude /.well-known/acme-challenge/ from the password or the filter.',
    evidence: address(check),
  }),
  server_error: (check) => ({
    short: `${check.names} ${check.verb('answers', 'answer')} with errors`,
    message: `${check.names} ${check.verb('answers', 'answer')} requests for the path of ACME with status ${check.text('status')}. If the CA gets the same answer, http-01 fails. We cannot see what the CA gets while a renewal runs.`,
    fix: 'Let the web server answer /.well-known/acme-challenge/ itself, without the application behind it.',
    evidence: address(check),
  }),
  page: (check) => ({
    short: `${check.names} ${check.verb('answers', 'answer')} with a page where the CA expects a token`,
    message: `${check.names} ${check.verb('answers', 'answer')} requests for a token that does not exist with a page instead of an error. If tokens that exist get the page too, http-01 fails.`,
    fix: 'Exclude /.well-known/acme-challenge/ from the rule that sends all addresses to one page.',
    evidence: address(check),
  }),
  dead_ipv6: (check) => ({
    short: `The IPv6 address of ${check.names} is dead`,
    message: `${check.names} ${check.verb('has', 'have')} an IPv6 address that does not answer at port 80. Let's Encrypt then uses IPv4; other CAs may not.`,
    fix: 'Remove the AAAA record, or let the server answer there.',
    evidence: address(check),
  }),
  dead_address: (check) => ({
    short: `An address of ${check.names} is dead`,
    message: `One address of ${check.names} does not answer at port 80. A CA that chooses it cannot validate by http-01.`,
    fix: 'Remove the record of this address, or let the server answer there.',
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
    short: `An address of ${check.names} is dead`,
    message: `One address of ${check.names} does not answer at port 443. A CA that chooses it cannot validate by tls-alpn-01.`,
    fix: 'Remove the record of this address, or let the server answer there.',
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
    short: `The registration of ${check.names} ${check.verb('has', 'have')} ended`,
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
    short: 'The next certificate ends before its renewal',
    message: `The next certificate will be valid for at most ${count(check.number('days'), 'day')} instead of ${check.text('lifetime')}. So far, this certificate was renewed ${count(check.number('timer'), 'day')} after it was issued, which will be too late.`,
    fix: 'Let your client renew by the CA’s renewal window (ARI) or by a share of the lifetime, not after a fixed number of days.',
  }),
};

export const OVERDUE_WORDS: WordsByReason = {
  ari: (check) => ({
    short: 'The renewal is late',
    message: `The CA asked for the renewal until ${longInstant(check.number('until'))}, and it has not taken place.`,
    fix: 'Look into the log of your client, and renew the certificate.',
  }),
  own: (check) => ({
    short: 'The renewal is later than usual',
    message: `This certificate is ${count(check.number('age'), 'day')} old. The last ${count(check.number('renewals'), 'renewal')} took place after about ${count(check.number('days'), 'day')}.`,
    fix: 'Look into the log of your client, and renew the certificate.',
  }),
  others: (check) => ({
    short: 'The renewal is later than that of your other certificates',
    message: `This certificate is ${count(check.number('age'), 'day')} old. Your other certificates of this CA were renewed after about ${count(check.number('days'), 'day')} (${count(check.number('renewals'), 'renewal')}).`,
    fix: 'Look into the log of your client, and renew the certificate.',
  }),
};
