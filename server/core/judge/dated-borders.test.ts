import { describe, expect, it } from 'vitest';
import {
  handshakeWith,
  HOST,
  intermediate,
  issue,
  longValidity,
  observation,
  root,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { mintAuthority, type MintedCertificate } from '../../../tests/kit/certificates/mint.ts';
import { issueLogged, logListJson, mintLog } from '../../../tests/kit/certificates/mint-log.ts';
import { type Client, CLIENTS } from '../../../contract/check-words.ts';
import { parseCertificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { parseLogList } from '../../pki/ct/log-list.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { WorkBudget } from '../../pki/work-budget.ts';
import type { ChainFinding } from '../finding.ts';
import type { DatedRule } from '../rules/dated-rule.ts';
import { rulesByRoot } from '../rules/root-rules.ts';
import { clientsRefusing } from './clients/refusals.ts';
import { datedFindings, indexRules } from './dated-findings.ts';
import { judge } from './judge.ts';
import { judgePath } from './path-findings.ts';
import { NO_LOG_LISTS } from './transparency.ts';

/*
 * Certificates on both sides of every border of the rules with dates. The expected results are read from the texts of the policies, row by
 * row, and not computed by the code under test. `docs/truth.md` has a summary.
 */

const DAY = 86_400_000;
const at = (day: string): number => Date.parse(day.includes('T') ? `${day}Z` : `${day}T00:00:00Z`);
/** Parses a table with a heading line. */
const rowsOf = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()));

const isPublic = { arePublic: true };
const PUBLIC = createTrustStore([root.der], isPublic);
const PRIVATE = createTrustStore([root.der]);
const ages = { notBefore: at('2015-01-01'), notAfter: at('2045-01-01') };
const old = mintAuthority({ commonName: 'Lasting Root', ...ages });
const below = old.intermediate({ commonName: 'Lasting CA', ...ages });
const LASTING = createTrustStore([old.der], isPublic);

function findingsOf(chain: MintedCertificate[], now: number, trustStore = PUBLIC) {
  return judge(observation([handshakeWith(chain)], { observedAt: now }), now, trustStore).findings;
}

/** Returns the ids of the rules that change the renewal. */
const renewals = (findings: readonly Pick<ChainFinding, 'facts'>[]): string =>
  findings.flatMap(({ facts }) => (facts.kind === 'renewal_changes' ? facts.rule : [])).join(' ');

/*
 * Baseline Requirements §6.3.2: "issued on or after D MUST NOT have a Validity Period greater than N days". A day has 86,400 seconds, and both
 * ends of the validity count.
 */
const LIFETIMES = `
issued              | days | seconds more | limit that Chrome and Safari enforce | what limits the renewal
2018-02-28T23:59:59 | 825  | 0 | -   | -
2018-02-28T23:59:59 | 825  | 1 | -   | lifetime_825
2018-03-01          | 825  | 0 | -   | -
2018-03-01          | 825  | 1 | 825 | -
2020-08-31T23:59:59 | 398  | 0 | -   | -
2020-08-31T23:59:59 | 398  | 1 | -   | lifetime_398
2020-08-31T23:59:59 | 825  | 0 | -   | lifetime_398
2020-08-31T23:59:59 | 825  | 1 | 825 | -
2020-09-01          | 398  | 0 | -   | -
2020-09-01          | 398  | 1 | 398 | -
2020-09-01          | 825  | 0 | 398 | -
2020-09-01          | 825  | 1 | 398 | -
2026-03-14T23:59:59 | 200  | 0 | -   | -
2026-03-14T23:59:59 | 200  | 1 | -   | lifetime_200
2026-03-14T23:59:59 | 398  | 0 | -   | lifetime_100
2026-03-14T23:59:59 | 398  | 1 | 398 | -
2026-03-15          | 200  | 0 | -   | -
2026-03-15          | 200  | 1 | 200 | -
2026-03-15          | 398  | 0 | 200 | -
2026-03-15          | 398  | 1 | 200 | -
2027-03-14T23:59:59 | 100  | 0 | -   | -
2027-03-14T23:59:59 | 100  | 1 | -   | lifetime_100
2027-03-14T23:59:59 | 200  | 0 | -   | lifetime_100
2027-03-14T23:59:59 | 200  | 1 | 200 | -
2027-03-15          | 100  | 0 | -   | -
2027-03-15          | 100  | 1 | 100 | -
2027-03-15          | 200  | 0 | 100 | -
2027-03-15          | 200  | 1 | 100 | -
2029-03-14T23:59:59 | 47   | 0 | -   | -
2029-03-14T23:59:59 | 47   | 1 | -   | lifetime_47
2029-03-14T23:59:59 | 100  | 0 | -   | lifetime_47
2029-03-14T23:59:59 | 100  | 1 | 100 | -
2029-03-15          | 47   | 0 | -   | -
2029-03-15          | 47   | 1 | 47  | -
2029-03-15          | 100  | 0 | 47  | -
2029-03-15          | 100  | 1 | 47  | -
`;

describe('a public certificate that is issued around the day of a limit for lifetimes', () => {
  it.each(rowsOf(LIFETIMES))('on %s for %s days and %s seconds: limit %s, renewal %s', (...row) => {
    const [issued = '', days, more, limit, renewal] = row;
    const notBefore = at(issued);
    const notAfter = notBefore + Number(days) * DAY - 1000 + Number(more) * 1000;
    const leaf = below.issue({ dnsNames: [HOST], notBefore, notAfter, timestamps: [notBefore] });
    const found = findingsOf([leaf, below], notBefore + DAY, LASTING);
    const exceeded = found.flatMap(({ facts }) => (facts.kind === 'long_lifetime' ? [facts.mostDays] : []));
    expect([exceeded.join() || '-', renewals(found) || '-']).toEqual([limit, renewal]);
  });
});

/*
 * Chrome Root Program Policy 1.8, §1.3.2: leaf certificates that are issued from 15 March 2027 on have no purpose but serverAuth. Clients
 * refuse a certificate without serverAuth (RFC 5280 §4.2.1.12), and private CAs are not bound by the policy.
 */
const PURPOSES = `
purposes              | valid from | valid until         | public | private
serverAuth            | 2027-01-01 | 2027-03-14T23:59:59 | -                | -
serverAuth            | 2027-01-01 | 2027-03-15          | -                | -
serverAuth            | 2027-03-15 | 2027-06-01          | -                | -
serverAuth clientAuth | 2027-01-01 | 2027-03-14T23:59:59 | -                | -
serverAuth clientAuth | 2027-01-01 | 2027-03-15          | server_auth_only | -
serverAuth clientAuth | 2027-03-15 | 2027-06-01          | -                | -
clientAuth            | 2027-01-01 | 2027-03-14T23:59:59 | refused          | refused
clientAuth            | 2027-01-01 | 2027-03-15          | refused          | refused
clientAuth            | 2027-03-15 | 2027-06-01          | refused          | refused
`;

describe('a certificate with purposes around 15 March 2027', () => {
  it.each(rowsOf(PURPOSES))('%s, valid from %s until %s: public %s, private %s', (...row) => {
    const [purposes = '', from = '', until = '', ...expected] = row;
    const notBefore = at(from);
    const results = [PUBLIC, PRIVATE].map((store) => {
      const leaf = issue({
        notBefore,
        notAfter: at(until),
        timestamps: [notBefore],
        extendedKeyUsage: purposes.split(' '),
      });
      const found = findingsOf(withChain(leaf), notBefore + DAY, store);
      const isRefused = found.some(
        ({ code, severity }) => code === 'path_invalid' && severity === 'critical',
      );
      return isRefused ? 'refused' : renewals(found) || '-';
    });
    expect(results).toEqual(expected);
  });
});

/** Baseline Requirements §7.1.3.2.1: no SHA-1 from 15 September 2026 on. All clients but Java refused it before, too, below any root. */
const SHA1 = `
issued              | result
2026-09-14T23:59:59 | all but java
2026-09-15          | all but java
`;

describe('a certificate that is signed with SHA-1', () => {
  it.each(rowsOf(SHA1))('on %s is refused by %s', (issued = '', who = '') => {
    for (const store of [PUBLIC, PRIVATE]) {
      const notBefore = at(issued);
      const rsa = root.intermediate({ commonName: 'RSA CA', key: 'RSA-2048', ...longValidity });
      const leaf = rsa.issue({
        dnsNames: [HOST],
        notBefore,
        notAfter: notBefore + 90 * DAY,
        timestamps: [notBefore],
        hash: 'sha1',
      });
      const found = findingsOf([leaf, rsa], notBefore + DAY, store);
      const [weak] = found.filter(({ code }) => code === 'weak_signature');
      const refusing: readonly Client[] = weak === undefined ? [] : clientsRefusing(weak);
      const accepting = CLIENTS.filter((client) => !refusing.includes(client));
      expect(`all but ${accepting.join()}`).toBe(who);
    }
  });
});

/*
 * Root stores: Chrome accepts a certificate of such a root if its earliest SCT is not after the last second before the day
 * (`sct_not_after_sec`), Firefox if its notBefore is not (`CKA_NSS_SERVER_DISTRUST_AFTER`). Neither binds roots that somebody added.
 */
const ROOTS = `
client   | root    | valid from          | logged                         | valid until         | result
chromium | public  | 2027-06-01          | 2027-06-01                     | 2027-06-14T23:59:59 | fine
chromium | public  | 2027-06-01          | 2027-06-01                     | 2027-06-15          | renewal
chromium | public  | 2027-06-01          | 2027-06-01                     | 2027-08-01          | renewal
chromium | public  | 2027-06-14T23:59:59 | 2027-06-14T23:59:59            | 2027-08-01          | renewal
chromium | public  | 2027-06-15          | 2027-06-15                     | 2027-08-01          | refused
chromium | public  | 2027-06-15          | 2027-06-14T23:59:59            | 2027-08-01          | renewal
chromium | public  | 2027-06-14          | 2027-06-15                     | 2027-08-01          | refused
chromium | public  | 2027-06-14          | 2027-06-14T23:59:59 2027-06-16 | 2027-08-01          | renewal
chromium | public  | 2027-06-14          | 2027-06-15 2027-06-16          | 2027-08-01          | refused
chromium | public  | 2027-06-14T23:59:59 |                                | 2027-08-01          | renewal
chromium | public  | 2027-06-15          |                                | 2027-08-01          | refused
chromium | private | 2027-06-15          | 2027-06-15                     | 2027-08-01          | fine
firefox  | public  | 2027-06-14T23:59:59 | 2027-06-16                     | 2027-08-01          | renewal
firefox  | public  | 2027-06-15          | 2027-06-14T23:59:59            | 2027-08-01          | refused
firefox  | public  | 2027-06-15          | 2027-06-15                     | 2027-08-01          | refused
firefox  | public  | 2027-06-01          | 2027-06-01                     | 2027-06-14T23:59:59 | fine
firefox  | public  | 2027-06-01          | 2027-06-01                     | 2027-06-15          | renewal
firefox  | public  | 2027-06-14T23:59:59 |                                | 2027-08-01          | renewal
firefox  | public  | 2027-06-15          |                                | 2027-08-01          | refused
firefox  | private | 2027-06-15          | 2027-06-15                     | 2027-08-01          | fine
`;

const rule = {
  id: 'test',
  from: '2027-06-15',
  until: null,
  source: 'https://example.org/',
  reviewedOn: '2026-12-01',
  roots: { [subjectPublicKeyHash(parseCertificate(root.der))]: 'Fjord Root' },
};

/** Judges a chain by one rule about its root. */
function judgedBy(leaf: MintedCertificate, about: DatedRule, asked: { root: string; now: number }): string {
  const certificate = parseCertificate(leaf.der);
  const question = {
    leaf: certificate,
    sent: [parseCertificate(intermediate.der)],
    fetchedIntermediates: [],
    trustStore: asked.root === 'public' ? PUBLIC : PRIVATE,
    protocol: 'https' as const,
    rootRules: rulesByRoot([about]),
    now: asked.now,
    work: new WorkBudget(),
  };
  const { findings, path, isPublic: isPublicPath } = judgePath(question);
  const later = datedFindings(question, path ?? [], isPublicPath, indexRules([about]));
  const [found] = [...findings, ...later];
  if (found?.code === 'distrusted_root') return 'refused';
  if (found?.code === 'refused_from') return 'upcoming';
  return found?.code === 'renewal_changes' ? 'renewal' : 'fine';
}

describe('a certificate of a root whose new certificates a browser distrusts from 15 June 2027 on', () => {
  it.each(rowsOf(ROOTS))('%s, %s root, valid from %s, logged %s, until %s: %s', (...row) => {
    const [client = '', kind = '', from = '', logged = '', until = '', result] = row;
    const leaf = issue({
      notBefore: at(from),
      notAfter: at(until),
      timestamps: logged === '' ? [] : logged.split(' ').map(at),
    });
    const about: DatedRule = {
      ...rule,
      kind: 'no_new_certificates',
      clients: [client as Client],
      issuedAt: client === 'firefox' ? 'not_before' : 'log_time',
    };
    expect(judgedBy(leaf, about, { root: kind, now: at('2027-06-20') })).toBe(result);
  });
});

const REMOVED = `
root    | valid until         | checked             | result
public  | 2027-06-14T23:59:59 | 2027-06-14T23:59:59 | fine
public  | 2027-06-15          | 2027-06-14T23:59:59 | upcoming
public  | 2027-06-15          | 2027-06-15          | refused
private | 2027-08-01          | 2027-06-15          | fine
`;

describe('a certificate of a root that a client no longer trusts from 15 June 2027 on', () => {
  it.each(rowsOf(REMOVED))('%s root, valid until %s, checked %s: %s', (...row) => {
    const [kind = '', until = '', now = '', result] = row;
    const leaf = issue({ notBefore: at('2027-06-01'), notAfter: at(until), timestamps: [at('2027-06-01')] });
    const about: DatedRule = { ...rule, kind: 'no_certificates', clients: ['firefox'] };
    expect(judgedBy(leaf, about, { root: kind, now: at(now) })).toBe(result);
  });
});

/** RFC 5280 §6.1.3 does not ask for the validity of a root, but most clients do (table of faults of a root in docs/truth.md). */
const EXPIRING_ROOTS = `
valid until         | public  | private
2027-03-31T23:59:59 | -       | -
2027-04-01          | -       | -
2027-04-01T00:00:01 | 5 of 6  | 6 of 6
2027-05-01          | 5 of 6  | 6 of 6
`;

describe('a certificate of a root that is valid until 1 April 2027, 00:00:00', () => {
  const ending = mintAuthority({
    commonName: 'Ending Root',
    ...longValidity,
    notAfter: at('2027-04-01'),
  });
  const issuer = ending.intermediate({ commonName: 'Ending CA', ...longValidity });

  it.each(rowsOf(EXPIRING_ROOTS))('until %s is refused later by: public %s, private %s', (...row) => {
    const [until = '', ...expected] = row;
    const notBefore = at('2027-01-05');
    const results = [isPublic, {}].map((options) => {
      const leaf = issuer.issue({
        dnsNames: [HOST],
        notBefore,
        notAfter: at(until),
        timestamps: [notBefore],
      });
      const store = createTrustStore([ending.der], options);
      const found = findingsOf([leaf, issuer], at('2027-01-10'), store);
      const later = found.find(({ code }) => code === 'refused_from');
      return later === undefined ? '-' : `${later.clients?.length} of 6`;
    });
    expect(results).toEqual(expected);
  });
});

/*
 * Certificate Transparency: two SCTs up to 180 days of validity, three above, of logs of two operators, at least one of a log that is trusted
 * today; a retired log counts for SCTs that are older than its retirement. Apple asks for one log of RFC 6962, the others do not. G, g and h
 * are logs of Google, C one of Cloudflare, S and s static logs of Geomys, W one of Let's Encrypt, R and r were retired after the SCT,
 * B before, P is pending, O is read-only, U is unknown.
 */
const TIMESTAMPS = `
days | logs  | chromium | firefox | apple
90   |       | lacks    | lacks   | lacks
90   | G     | lacks    | lacks   | lacks
90   | G g   | lacks    | lacks   | lacks
90   | G G   | lacks    | lacks   | lacks
90   | G C   | met      | met     | met
90   | G S   | met      | met     | met
90   | S W   | met      | met     | lacks
90   | S s   | lacks    | lacks   | lacks
90   | G R   | met      | met     | met
90   | R r   | lacks    | lacks   | lacks
90   | G B   | lacks    | lacks   | lacks
90   | G P   | lacks    | lacks   | lacks
90   | G U   | lacks    | lacks   | lacks
90   | G O   | met      | met     | met
90   | S W R | met      | met     | met
200  | G C   | lacks    | lacks   | lacks
200  | G g C | met      | met     | met
200  | G g h | lacks    | lacks   | lacks
200  | G C C | lacks    | lacks   | lacks
200  | G C S | met      | met     | met
200  | S s W | met      | met     | lacks
200  | G C R | met      | met     | met
200  | G R r | met      | met     | met
200  | S R r | met      | met     | met
200  | G C B | lacks    | lacks   | lacks
200  | G S W | met      | met     | met
180  | G C   | met      | met     | met
180  | S W   | met      | met     | lacks
181  | G C   | lacks    | lacks   | lacks
181  | G S W | met      | met     | met
`;

describe('a public certificate with timestamps', () => {
  const now = at('2026-11-20');
  const issued = now - 30 * DAY;
  const logs = {
    G: mintLog('Google', { name: 'G' }),
    g: mintLog('Google', { name: 'g' }),
    h: mintLog('Google', { name: 'h' }),
    C: mintLog('Cloudflare', { name: 'C' }),
    S: mintLog('Geomys', { name: 'S', isStatic: true }),
    s: mintLog('Geomys', { name: 's', isStatic: true }),
    W: mintLog("Let's Encrypt", { name: 'W', isStatic: true }),
    R: mintLog('Sectigo', { name: 'R', state: 'retired', since: now - 10 * DAY }),
    r: mintLog('DigiCert', { name: 'r', state: 'retired', since: now - 10 * DAY }),
    B: mintLog('TrustAsia', { name: 'B', state: 'retired', since: now - 40 * DAY }),
    P: mintLog('Skerry', { name: 'P', state: 'pending' }),
    O: mintLog('Cloudflare', { name: 'O', state: 'readonly' }),
  };
  const unknown = mintLog('Nobody', { name: 'U' });
  const list = parseLogList(Buffer.from(logListJson(Object.values(logs), now - DAY)), now);
  if ('problem' in list) throw new Error(list.problem);

  it.each(rowsOf(TIMESTAMPS))('for %s days and logs %s: %s, %s, %s', (days, names = '', ...expected) => {
    const stamps = names
      .split(' ')
      .filter(Boolean)
      .map((name) => ({ log: name in logs ? logs[name as keyof typeof logs] : unknown, at: issued }));
    const notAfter = issued + Number(days) * DAY - 1000;
    const leaf = issueLogged(intermediate, { dnsNames: [HOST], notBefore: issued, notAfter }, stamps);
    const seen = observation([handshakeWith(withChain(leaf))]);
    const lists = { ...NO_LOG_LISTS, google: list, apple: list };
    const { transparency } = judge(seen, now, PUBLIC, null, new WorkBudget(), lists);
    const outcomes = transparency?.policies.map(({ outcome }) => (outcome === 'met' ? 'met' : 'lacks'));
    expect(outcomes).toEqual(expected);
  });
});

it('These are 120 certificates', () => {
  const count = (table: string, each = 1) => rowsOf(table).length * each;
  const ofTwoRoots = [PURPOSES, SHA1, EXPIRING_ROOTS].map((table) => count(table, 2));
  const ofOne = [LIFETIMES, ROOTS, REMOVED, TIMESTAMPS].map((table) => count(table));
  expect([...ofTwoRoots, ...ofOne].reduce((sum, one) => sum + one)).toBe(120);
});
