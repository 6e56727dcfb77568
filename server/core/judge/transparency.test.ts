import { describe, expect, it } from 'vitest';
import {
  EMBEDDED_TIMESTAMPS,
  type RawExtension,
  timestampExtension,
} from '../../../tests/kit/certificates/certificate-extensions.ts';
import { octetString } from '../../../tests/kit/certificates/der-writer.ts';
import {
  currentOptions,
  DAY,
  handshakeWith,
  intermediate,
  issue,
  NOW,
  observation,
  root,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import type { MintedCertificate } from '../../../tests/kit/certificates/mint.ts';
import {
  issueLogged,
  logListJson,
  type MintedLog,
  mintLog,
  type Stamp,
  stampCertificate,
} from '../../../tests/kit/certificates/mint-log.ts';
import { mintOcspResponse } from '../../../tests/kit/certificates/mint-ocsp.ts';
import { heapBytes } from '../../../tests/kit/machine/memory.ts';
import type { Client } from '../../../contract/check-words.ts';
import { parseCertificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { type LogList, parseLogList } from '../../pki/ct/log-list.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { WorkBudget } from '../../pki/work-budget.ts';
import type { RevocationEvidence } from '../observation.ts';
import { rulesByRoot } from '../rules/root-rules.ts';
import { isVerdict, type TransparencyVerdict, type Verdict } from '../verdict.ts';
import { judge } from './judge.ts';
import { judgeTransparency, type LogLists, NO_LOG_LISTS } from './transparency.ts';

const publicRoots = createTrustStore([root.der], { arePublic: true });
const AT = NOW - 30 * DAY;
const [argon, nimbus] = [mintLog('Google', { name: 'Argon' }), mintLog('Cloudflare', { name: 'Nimbus' })];
const tuscolo = mintLog('Geomys', { name: 'Tuscolo', isStatic: true });
const willow = mintLog("Let's Encrypt", { name: 'Willow', isStatic: true });
const oak = mintLog("Let's Encrypt", { name: 'Oak', state: 'retired', since: NOW - 10 * DAY });
const pending = mintLog('Skerry', { name: 'Skua', state: 'pending' });

function listOf(logs: readonly MintedLog[], publishedAt = NOW - DAY): LogList {
  const list = parseLogList(Buffer.from(logListJson(logs, publishedAt)), NOW);
  if ('problem' in list) throw new Error(list.problem);
  return list;
}
const ALL = [argon, nimbus, tuscolo, willow, oak, pending];
const LISTS: LogLists = { google: listOf(ALL), apple: listOf(ALL) };

function judged(
  leaf: MintedCertificate,
  {
    lists = LISTS,
    staple = null as Uint8Array | null,
    revocation = [] as RevocationEvidence[],
    trustStore = publicRoots,
    work = new WorkBudget(),
  } = {},
): Verdict {
  const seen = observation([handshakeWith(withChain(leaf), { staple })], { revocation });
  return judge(seen, NOW, trustStore, null, work, lists);
}
function transparencyOf(...asked: Parameters<typeof judged>): TransparencyVerdict {
  const { transparency } = judged(...asked);
  if (transparency === undefined) throw new Error('the verdict says nothing about timestamps');
  return transparency;
}
const { dnsNames, notBefore, notAfter } = currentOptions;
const logged = (stamps: readonly Stamp[], options = {}) =>
  issueLogged(intermediate, { dnsNames, notBefore, notAfter, ...options }, stamps);
const withExtensions = (...extraExtensions: RawExtension[]) =>
  intermediate.issue({ dnsNames, notBefore, notAfter, extraExtensions });
const by = (...logs: MintedLog[]): Stamp[] => logs.map((log) => ({ log, at: AT }));
const outcomes = ({ policies }: TransparencyVerdict) =>
  Object.fromEntries(policies.map(({ client, outcome, why }) => [client, outcome === 'met' ? 'met' : why]));

describe('the timestamps of a certificate of a public authority', () => {
  const leaf = logged(by(argon, tuscolo, oak));

  it('have the log, its operator, the time and what each browser makes of them', () => {
    const verdict = judged(leaf);
    const all = { chromium: 'counts', firefox: 'counts', apple: 'counts' };
    const base = { at: AT, delivery: 'certificate', ...all };
    expect(verdict.transparency).toEqual({
      isRequired: true,
      timestamps: [
        { ...base, logId: argon.id.toString('base64'), log: { name: 'Argon', operator: 'Google' } },
        { ...base, logId: tuscolo.id.toString('base64'), log: { name: 'Tuscolo', operator: 'Geomys' } },
        { ...base, logId: oak.id.toString('base64'), log: { name: 'Oak', operator: "Let's Encrypt" } },
      ],
      unreadable: 0,
      policies: ['chromium', 'firefox', 'apple'].map((client) => ({
        client,
        asOf: NOW - DAY,
        outcome: 'met',
        why: null,
        counted: 3,
        needed: 2,
      })),
    });
    expect(isVerdict(JSON.parse(JSON.stringify(verdict)))).toBe(true);
    expect(verdict.trusted).toBe(true);
  });

  it('have only ids and times without a list of logs', () => {
    const { timestamps, policies } = transparencyOf(leaf, { lists: NO_LOG_LISTS });
    const unknown = { log: null, chromium: null, firefox: null, apple: null };
    expect(timestamps).toMatchObject([
      { logId: argon.id.toString('base64'), at: AT, ...unknown },
      unknown,
      unknown,
    ]);
    expect(policies).toEqual([]);
  });

  it('have no status for a browser whose list is missing or 70 days old', () => {
    const apple = listOf(ALL, NOW - 70 * DAY);
    for (const lists of [
      { ...LISTS, apple: 'off' as const },
      { ...LISTS, apple },
    ]) {
      const found = transparencyOf(leaf, { lists });
      expect(found.timestamps[0]).toMatchObject({ chromium: 'counts', firefox: 'counts', apple: null });
      expect(found.policies.map(({ client }) => client)).toEqual(['chromium', 'firefox']);
    }
    const lists = { ...LISTS, apple: listOf(ALL, NOW - 70 * DAY + 1) };
    expect(transparencyOf(leaf, { lists }).policies).toHaveLength(3);
  });

  it('name the browsers of which there is no current list, with the reason', () => {
    const missing = (lists: LogLists) => transparencyOf(leaf, { lists }).missing;
    expect(missing(LISTS)).toBeUndefined();
    expect(missing({ google: 'not_fetched', apple: 'failed' })).toEqual([
      { client: 'chromium', why: 'not_fetched' },
      { client: 'firefox', why: 'not_fetched' },
      { client: 'apple', why: 'failed' },
    ]);
    const old = { google: LISTS.google, apple: listOf(ALL, NOW - 70 * DAY) };
    expect(missing(old)).toEqual([{ client: 'apple', why: 'too_old' }]);
    expect(missing({ ...old, apple: 'off' })).toEqual([{ client: 'apple', why: 'off' }]);
    const verdict = judged(leaf, { lists: old });
    expect(isVerdict(JSON.parse(JSON.stringify(verdict)))).toBe(true);
    expect(
      transparencyOf(leaf, { trustStore: createTrustStore([]), lists: NO_LOG_LISTS }).missing,
    ).toBeUndefined();
  });

  it('are judged with the list of each browser', () => {
    const lists = { google: listOf([argon, tuscolo]), apple: listOf([argon, nimbus]) };
    const { timestamps } = transparencyOf(logged(by(nimbus, tuscolo)), { lists });
    expect(timestamps).toMatchObject([
      { log: { name: 'Nimbus' }, chromium: 'unknown_log', firefox: 'unknown_log', apple: 'counts' },
      { log: { name: 'Tuscolo' }, chromium: 'counts', firefox: 'counts', apple: 'unknown_log' },
    ]);
  });

  it('are verified with the keys of lists that were cloned, as they are for a thread', () => {
    const lists = structuredClone(LISTS);
    expect(transparencyOf(leaf, { lists })).toEqual(transparencyOf(leaf));
    const forged = logged([{ log: argon, at: AT, isForged: true }]);
    expect(transparencyOf(forged, { lists }).timestamps).toMatchObject([{ chromium: 'bad_signature' }]);
  });

  it('are not enough if there are none, as the finding says', () => {
    const { transparency, findings } = judged(logged([]));
    expect(transparency?.policies.map(({ outcome }) => outcome)).toEqual(['not_met', 'not_met', 'not_met']);
    expect(findings).toMatchObject([{ facts: { rule: 'no_timestamps' } }]);
    expect(transparencyOf(logged(by(argon))).policies[0]).toMatchObject({ outcome: 'not_known' });
  });

  it('are not judged without a valid path', () => {
    expect(transparencyOf(leaf, { trustStore: createTrustStore([]) })).toMatchObject({
      isRequired: null,
      timestamps: [{ chromium: null, firefox: null, apple: null }, {}, {}],
      policies: [],
    });
  });

  it('are not known to count for Firefox below a root with a day of distrust', () => {
    const anchor = parseCertificate(root.der);
    const judgedLeaf = parseCertificate(leaf.der);
    const path = [judgedLeaf, parseCertificate(intermediate.der), anchor];
    const roots = { [subjectPublicKeyHash(anchor)]: 'Fjord Root' };
    const rule = { id: 'test', from: '2027-01-01', until: null, source: '', reviewedOn: '2026-12-01' };
    const judgedBy = (client: Client) =>
      judgeTransparency({ leaf: judgedLeaf, path, isPublic: true, revocation: null }, [], {
        lists: LISTS,
        now: NOW,
        work: new WorkBudget(),
        rootRules: rulesByRoot([{ ...rule, kind: 'no_certificates', clients: [client], roots }]),
      }).transparency?.timestamps[0];
    expect(judgedBy('firefox')).toMatchObject({ chromium: 'counts', firefox: 'distrusted_root' });
    expect(judgedBy('chromium')).toMatchObject({ chromium: 'counts', firefox: 'counts' });
  });

  it('change no finding', () => {
    const few = logged(by(pending));
    expect(judged(few).findings).toEqual(judged(few, { lists: NO_LOG_LISTS }).findings);
  });

  it('cannot be verified once the work budget is spent', () => {
    const { spent, total } = (() => {
      const work = new WorkBudget();
      judged(leaf, { work, lists: NO_LOG_LISTS });
      return work;
    })();
    expect(spent).toBeLessThan(total);
    const { timestamps, policies } = transparencyOf(leaf, { work: new WorkBudget(spent) });
    expect(timestamps[0]).toMatchObject({ chromium: 'not_verified' });
    expect(policies[0]).toMatchObject({ client: 'chromium', outcome: 'not_known' });
  });
});

describe('the conclusion about a certificate that was judged before', () => {
  const leaf = logged(by(argon, nimbus));
  const at = (now: number, lists = LISTS, work = new WorkBudget()) =>
    judge(observation([handshakeWith(withChain(leaf))]), now, publicRoots, null, work, lists).transparency;

  it('is the same object, and costs as much work as the first time', () => {
    const [first, second] = [new WorkBudget(), new WorkBudget()];
    const before = at(NOW, LISTS, first);
    expect(at(NOW + DAY, LISTS, second)).toBe(before);
    expect(second.spent).toBe(first.spent);
  });

  it('is made again with another list, and keeps no replaced list in memory', async () => {
    const before = at(NOW);
    const replaced = new WeakRef<LogLists>({ ...LISTS });
    expect(at(NOW, replaced.deref())).not.toBe(before);
    // A WeakRef keeps its object until the end of the task.
    await new Promise(setImmediate);
    expect(heapBytes() > 0 && replaced.deref()).toBeUndefined();
  });

  it('is made again for a time before it, once a log retires and once the list is too old', () => {
    const retiring = ['Rill', 'Tarn'].map((name) =>
      mintLog(name, { state: 'retired', since: NOW + 10 * DAY }),
    );
    const lists = { google: listOf(retiring), apple: 'off' as const };
    const soon = logged(by(...retiring), { notAfter: NOW + 100 * DAY });
    const chromiumAt = (now: number) =>
      judge(observation([handshakeWith(withChain(soon))]), now, publicRoots, null, new WorkBudget(), lists)
        .transparency?.timestamps[1]?.chromium;
    expect(chromiumAt(NOW)).toBe('counts');
    expect(chromiumAt(AT - 1)).toBe('from_future');
    expect(chromiumAt(NOW + 10 * DAY - 1)).toBe('counts');
    expect(chromiumAt(NOW + 10 * DAY)).toBe('retired_log');
    expect(chromiumAt(NOW + 69 * DAY - 1)).toBe('retired_log');
    expect(chromiumAt(NOW + 69 * DAY)).toBeNull();
  });

  it('is not kept if the work budget did not suffice for it', () => {
    const fresh = logged(by(argon, nimbus));
    const seen = observation([handshakeWith(withChain(fresh))]);
    const full = new WorkBudget();
    judge(seen, NOW, publicRoots, null, full);
    const scarce = judge(seen, NOW, publicRoots, null, new WorkBudget(full.spent), LISTS).transparency;
    expect(scarce?.timestamps[0]?.chromium).toBe('not_verified');
    expect(judge(seen, NOW, publicRoots, null, new WorkBudget(), LISTS).transparency).toMatchObject({
      timestamps: [{ chromium: 'counts' }, { chromium: 'counts' }],
    });
  });
});

describe('the policies of browsers', () => {
  const days = (count: number) => ({ notBefore: AT, notAfter: AT + count * DAY });
  const met = { chromium: 'met', firefox: 'met', apple: 'met' };
  const none = (why: string) => ({ chromium: why, firefox: why, apple: why });

  it.each<[string, Stamp[], object, object]>([
    ['two logs of two operators', by(argon, nimbus), {}, met],
    ['one log', by(argon), {}, none('too_few')],
    ['no log', [], {}, none('too_few')],
    ['two logs of one operator', by(willow, oak), {}, none('one_operator')],
    ['two static logs', by(tuscolo, willow), {}, { ...met, apple: 'only_static_logs' }],
    ['a pending log', by(argon, pending), {}, none('too_few')],
    ['two logs for 179 days', by(argon, nimbus), days(179), met],
    ['two logs for 180 days', by(argon, nimbus), days(180), { ...met, apple: 'too_few' }],
    ['two logs for 181 days', by(argon, nimbus), days(181), none('too_few')],
    ['three logs for 181 days', by(argon, nimbus, willow), days(181), met],
    ['a forged time', [...by(argon), { log: nimbus, at: AT, isForged: true }], {}, none('too_few')],
    ['a retired log, just before', [...by(argon), { log: oak, at: oak.since - 1 }], {}, met],
    ['a retired log, just after', [...by(argon), { log: oak, at: oak.since }], {}, none('too_few')],
  ])('are answered for a certificate with %s', (_, stamps, options, expected) => {
    expect(outcomes(transparencyOf(logged(stamps, options)))).toEqual(expected);
  });
});

describe('timestamps that are stapled, unreadable or not needed', () => {
  const times = { thisUpdate: NOW - DAY, nextUpdate: NOW + DAY };
  const plain = logged([]);
  const stapledTimestamps = stampCertificate(plain, by(argon, nimbus));
  const stapleFor = (leaf: MintedCertificate, timestamps = stapledTimestamps) =>
    mintOcspResponse(intermediate, leaf, {
      ...times,
      producedAt: NOW - DAY,
      stapledTimestamps: timestamps,
    });
  const { fingerprint } = parseCertificate(plain.der);
  const about = (answer: RevocationEvidence['answer']): RevocationEvidence[] => [
    { fingerprint, source: 'staple', url: null, at: NOW, answer },
  ];
  const good = about({ state: 'good', reason: null, revokedAt: null, ...times });

  it('are read from a stapled OCSP response if it is about the certificate', () => {
    const found = transparencyOf(plain, { staple: stapleFor(plain), revocation: good });
    const statuses = { chromium: 'stapled', firefox: 'counts', apple: 'counts' };
    expect(found.timestamps).toMatchObject([
      { delivery: 'staple', log: { name: 'Argon' }, ...statuses },
      { delivery: 'staple', log: { name: 'Nimbus' }, ...statuses },
    ]);
    expect(outcomes(found)).toEqual({ chromium: 'too_few', firefox: 'met', apple: 'met' });
    const other = transparencyOf(plain, { staple: stapleFor(issue()), revocation: good });
    expect(other.timestamps).toEqual([]);
  });

  it.each<[string, RevocationEvidence[]]>([
    ['is not signed by the CA', about({ state: 'none', why: 'bad_signature' })],
    [
      'has expired',
      about({
        state: 'good',
        reason: null,
        revokedAt: null,
        thisUpdate: NOW - 9 * DAY,
        nextUpdate: NOW - DAY,
      }),
    ],
    ['says revoked', about({ state: 'revoked', reason: null, revokedAt: NOW - DAY, ...times })],
    ['was not evaluated', []],
    ['is one of two, and the other is not valid', [...good, ...about({ state: 'none', why: 'malformed' })]],
  ])('count for no browser if the stapled OCSP response %s', (_, revocation) => {
    const staple = stapleFor(plain);
    transparencyOf(plain, { staple, revocation: good });
    const found = transparencyOf(plain, { staple, revocation });
    const statuses = { firefox: 'unverified_staple', apple: 'unverified_staple' };
    expect(found.timestamps).toMatchObject([statuses, statuses]);
    expect(outcomes(found)).toEqual({ chromium: 'too_few', firefox: 'too_few', apple: 'too_few' });
    expect(found.policies.map(({ outcome }) => outcome)).toEqual(['not_known', 'not_known', 'not_known']);
  });

  it('are judged by each check, without the cache, while the stapled OCSP response is not verified', () => {
    const conclude = (revocation: RevocationEvidence[]) =>
      transparencyOf(plain, { staple: stapleFor(plain), revocation });
    expect(conclude([])).not.toBe(conclude([]));
    expect(conclude(good)).toBe(conclude(good));
  });

  it('are only counted if they cannot be read', () => {
    const extension = (content: Buffer) => ({ oid: EMBEDDED_TIMESTAMPS, value: octetString(content) });
    const malformed = withExtensions(extension(Buffer.from('0009', 'hex')));
    expect(transparencyOf(malformed)).toMatchObject({ timestamps: [], unreadable: 1 });
    const odd = withExtensions(timestampExtension([Buffer.of(1), Buffer.of(2)]));
    expect(transparencyOf(odd)).toMatchObject({ timestamps: [], unreadable: 2 });
  });

  it('are listed without policies if the authority is private, because browsers then demand none', () => {
    const trustStore = createTrustStore([root.der]);
    expect(judged(withExtensions(), { trustStore }).transparency).toBeUndefined();
    expect(transparencyOf(logged(by(argon)), { trustStore })).toMatchObject({
      isRequired: false,
      timestamps: [{ log: { name: 'Argon' }, chromium: null, firefox: null, apple: null }],
      policies: [],
    });
  });

  it('are kept to 20 in the certificate and 20 in the staple; the others are counted', () => {
    const many = issue({ timestamps: Array.from({ length: 500 }, () => AT) });
    const staple = stapleFor(
      many,
      Array.from({ length: 30 }, () => stapledTimestamps[0] ?? Buffer.of()),
    );
    const { timestamps, unreadable } = transparencyOf(many, { staple });
    expect(timestamps.map(({ delivery }) => delivery)).toEqual([
      ...Array.from({ length: 20 }, () => 'certificate'),
      ...Array.from({ length: 20 }, () => 'staple'),
    ]);
    expect(unreadable).toBe(490);
  });

  it('make Firefox refuse the certificate if they cannot be read, whatever other extensions say', () => {
    const rulesFor = (...others: RawExtension[]) => {
      const malformed = { oid: EMBEDDED_TIMESTAMPS, value: Buffer.of(0) };
      return judged(withExtensions(malformed, ...others)).findings.flatMap(({ facts }) =>
        facts.kind === 'refused_by_clients' ? facts.rule : [],
      );
    };
    expect(rulesFor()).toContain('malformed_timestamps');
    // A noRevAvail that is not empty.
    const odd = { oid: '2.5.29.56', value: Buffer.from('050100', 'hex') };
    expect(rulesFor(odd)).toContain('malformed_timestamps');
  });
});
