import { oneLine } from '../../one-line.ts';
import type { HttpChallenge, HttpChallengeResult } from '../evidence.ts';
import type { ForecastCheck } from '../forecast.ts';
import { type CheckInput, eachName, grouped, type NameVerdict, recordsOf } from './check-input.ts';

type Result = HttpChallenge['results'][number];

const isIpv6 = ({ address }: Result): boolean => address.includes(':');
/** A result that says something about the host. */
const isTested = ({ result }: Result): boolean => result.outcome !== 'not_tested';

/**
 * Returns whether http-01 is possible for the watched hosts (RFC 8555 §8.3). Let's Encrypt prefers IPv6, and turns to IPv4 only if it gets no
 * connection (https://letsencrypt.org/docs/ipv6-support), so the answers of IPv6 addresses decide.
 */
export function checkHttp({ evidence }: CheckInput): ForecastCheck[] {
  return grouped(
    'http',
    evidence.http.flatMap(({ host, results }) => {
      const verdict = judgeHost(results.filter(isTested));
      return verdict === null ? [] : [{ name: host, verdict }];
    }),
  );
}

function judgeHost(results: readonly Result[]): NameVerdict | null {
  if (results.length === 0) return null;
  const reached = results.filter(({ result }) => result.outcome !== 'no_connection');
  const dead = results.find(({ result }) => result.outcome === 'no_connection');
  if (reached.length === 0) return judgeResult(results[0]);
  // A CA tries IPv6 first and chooses any address, so the worst answer of the family decides.
  const preferred = reached.some(isIpv6) ? reached.filter(isIpv6) : reached;
  const verdicts = preferred.map(judgeResult);
  const worst = verdicts.toSorted((left, right) => SEVERITY[right.state] - SEVERITY[left.state])[0];
  if (worst === undefined || worst.state !== 'passes') return worst ?? null;
  if (dead === undefined) return worst;
  return {
    state: 'warns',
    reason: isIpv6(dead) && !preferred.some(isIpv6) ? 'dead_ipv6' : 'dead_address',
    values: { address: dead.address },
  };
}

const SEVERITY: Readonly<Record<ForecastCheck['state'], number>> = {
  passes: 0,
  warns: 1,
  not_known: 2,
  depends: 3,
  fails: 4,
};

function judgeResult(one: Result | undefined): NameVerdict {
  if (one === undefined) return { state: 'passes', reason: 'answers' };
  const { address, result } = one;
  const methods = ['http-01'] as const;
  switch (result.outcome) {
    case 'no_connection':
      return { state: 'depends', reason: 'port_closed', methods, values: { address, why: result.why } };
    case 'no_answer':
      return { state: 'depends', reason: 'no_answer', methods, values: { address, why: result.why } };
    case 'bad_redirect':
      return {
        state: 'depends',
        reason: 'redirect',
        methods,
        values: { address, why: result.why, url: oneLine(result.url) },
      };
    case 'answered':
      return judgeAnswer(address, result);
    default:
      return { state: 'passes', reason: 'answers', methods };
  }
}

/**
 * Judges the answer for a token that does not exist. We cannot see the answer for one that does: a server may ask for a password or fail here and
 * still serve real tokens. So such verdicts are never certain.
 */
function judgeAnswer(
  address: string,
  answer: Extract<HttpChallengeResult, { outcome: 'answered' }>,
): NameVerdict {
  const { status } = answer;
  const methods = ['http-01'] as const;
  const values = { address, status, url: oneLine(answer.url) };
  if (status === 401 || status === 403 || status === 407)
    return { state: 'not_known', reason: 'refused', methods, values };
  if (status >= 500) return { state: 'not_known', reason: 'server_error', methods, values };
  // CAs follow 301, 302, 307 and 308 only.
  if (status >= 300 && status < 400) return { state: 'depends', reason: 'other_redirect', methods, values };
  if (answer.isPage) return { state: 'warns', reason: 'page', values };
  return { state: 'passes', reason: 'answers', methods };
}

/** Returns whether tls-alpn-01 is possible: the CA connects to port 443 (RFC 8737 §3). Returns no check for hosts that the last check reached. */
export function checkTlsAlpn(input: CheckInput): ForecastCheck[] {
  const { unreachable443 } = input.context;
  return eachName('tls_alpn', input, ({ name, ipv4, ipv6 }) => {
    const dead = new Set(unreachable443.filter(({ host }) => host === name).map(({ address }) => address));
    if (dead.size === 0) return null;
    const addresses = [...recordsOf(ipv4), ...recordsOf(ipv6)];
    const isClosed = addresses.length > 0 && addresses.every((address) => dead.has(address));
    return isClosed
      ? { state: 'depends', reason: 'port_closed', methods: ['tls-alpn-01'] }
      : { state: 'warns', reason: 'dead_address', values: { address: [...dead][0] ?? '' } };
  });
}
