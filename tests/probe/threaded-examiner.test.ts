import { once } from 'node:events';
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NO_LOG_LISTS } from '../../server/core/judge/transparency.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { assessUptime } from '../../server/core/check/uptime.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { type Observation, unexaminedObservation } from '../../server/core/observation.ts';
import { describeVerdict } from '../../server/core/report/describe-finding.ts';
import type { Verdict } from '../../server/core/verdict.ts';
import { parseLogList } from '../../server/pki/ct/log-list.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import type { Examiner } from '../../server/probe/examiner.ts';
import { createExaminer, NO_SOURCES } from '../kit/product/stand-ins.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { createThreadedExaminer } from '../../server/probe/threaded-examiner.ts';
import { isNetworkFailure } from '../../server/worker/own-network.ts';
import { PROTOCOLS } from '../../contract/protocols.ts';
import { temporaryFolder } from '../kit/product/app.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { HOSTILE_CHAINS, HOSTILE_HOST } from '../kit/certificates/hostile-chains.ts';
import { handshakeWith, observation } from '../kit/certificates/judging.ts';
import { PATIENT, stopTimers } from '../kit/peers/loopback.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { issueLogged, logListJson, mintLog } from '../kit/certificates/mint-log.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { startOpensslServer, startTlsServer } from '../kit/peers/tls-server.ts';
import { promise } from '../security/promise.ts';

const HOST = 'thread.certs.test';
const never = new AbortController().signal;
const root = mintAuthority({ commonName: 'Thread Root' });
const leaf = root.issue({ dnsNames: [HOST] });
const hostileChain = HOSTILE_CHAINS['220 certificates of one name']?.(root) ?? [];

describe('The examiner thread', () => {
  it('returns the same verdict as an examination in the main thread', async () => {
    const { endpoint, thread, here } = await place();
    const [theirs, ours] = await Promise.all([examine(thread, endpoint), examine(here, endpoint)]);
    expect(timeless(theirs.verdict)).toEqual(timeless(ours.verdict));
    expect(theirs.certificates).toEqual(ours.certificates);
    expect(theirs.verdict.leafFingerprint).toBe(leaf.fingerprint);
    // `here` asks no CA about revocation. Both examiners know the issuer.
    expect(theirs.verdict.trusted).toBe(true);
  });

  it('trusts only the private CAs that are given with the request', async () => {
    const { endpoint, thread } = await place();
    const { verdict } = await examine(thread, endpoint, []);
    expect(verdict.trusted).toBe(false);
    promise('private-authorities');
  });

  it('names logs by the lists of its start, and then by those it gets, in each thread that runs or starts later', async () => {
    const log = mintLog('Fjord');
    const google = parseLogList(Buffer.from(logListJson([log], Date.now())), Date.now());
    if ('problem' in google) throw new Error(google.problem);
    const logged = issueLogged(root, { dnsNames: [HOST] }, [{ log, at: Date.now() - 1_000 }]);
    const { thread } = await place({ logLists: { google, apple: 'off' } });
    const logOf = async (examiner: Examiner) =>
      (await judged(examiner, observation([handshakeWith([logged])]))).transparency?.timestamps[0]?.log;
    const known = { name: 'Fjord log', operator: 'Fjord' };
    expect(await logOf(thread)).toEqual(known);
    thread.useLogLists(NO_LOG_LISTS);
    expect([await logOf(thread), await logOf(thread.previews)]).toEqual([null, null]);
    thread.useLogLists({ google: 'off', apple: google });
    expect([await logOf(thread), await logOf(thread.previews)]).toEqual([known, known]);
  });

  it('judges an observation that another examiner made', async () => {
    const { endpoint, thread, here } = await place();
    const verdict = await judged(thread, await look(here, endpoint));
    expect(verdict.leafFingerprint).toBe(leaf.fingerprint);
  });

  it('returns a verdict for each previous verdict that it gets, and later judges again with another one', async () => {
    const { endpoint, thread, here } = await place();
    const authorities = [root.der];
    const earlier = (await examine(here, endpoint)).verdict;
    const previous = [null, { ...earlier, leafFingerprint: 'another' }, earlier];
    const options = { signal: never, authorities, withPosture: false, previous };
    const seen = await thread.examine({ ...endpoint, protocol: 'tls' }, options);
    expect(seen.certificates.map(({ facts }) => facts.fingerprint)).toEqual([leaf.fingerprint]);
    expect(seen.verdicts).toHaveLength(3);
    const request = { observation: seen.observation, authorities, now: seen.verdicts[0]?.judgedAt ?? 0 };
    // The two examiners trust different public roots.
    const judgedHere = async (one: Verdict | null) => ({
      ...(await here.judge({ ...request, previous: one })),
      trustStoreHash: expect.any(String),
    });
    for (const [index, one] of previous.entries())
      expect(seen.verdicts[index]).toEqual(await judgedHere(one));
    const later = { ...earlier, observedAt: 0, judgedAt: 0 };
    expect(await thread.judge({ ...request, previous: later })).toEqual(await judgedHere(later));
  });

  it('returns what a server said when it refused us only if the caller asks for all replies', async () => {
    const peer = await startRawPeer((socket) => void socket.end('421 later\r\n'));
    onTestFinished(() => peer.stop());
    const { thread } = await place();
    const endpoint = { host: '127.0.0.1', port: peer.port, protocol: 'smtp' as const };
    const options = { signal: never, authorities: [], withPosture: false, previous: [] };
    const withheld = { refusal: { code: null, text: null, isTemporary: true } };
    const shown = { refusal: { code: '421', text: 'later', isTemporary: true } };
    expect((await thread.examine(endpoint, options)).observation.addresses).toMatchObject([withheld]);
    const all = await thread.examine(endpoint, { ...options, replies: 'all' });
    expect(all.observation.addresses).toMatchObject([shown]);
  });

  it('ends a probe that is aborted', async () => {
    const peer = await startRawPeer(silent);
    onTestFinished(() => peer.stop());
    const { thread } = await place();
    const stop = new AbortController();
    const looking = look(thread, { host: '127.0.0.1', port: peer.port }, stop.signal);
    stop.abort();
    const verdict = await judged(thread, await looking);
    expect(verdict).toMatchObject({ reached: false, failure: { reason: expect.stringMatching(/timeout/) } });
  });

  it('rejects its pending requests when it ends, and another thread starts for the next request', async () => {
    const troubles: Error[] = [];
    const thread = createThreadedExaminer({
      ...settingsOf('127.0.0.1:9'),
      extraCaPem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      onTrouble: (error) => troubles.push(error),
    });
    onTestFinished(() => thread.close());
    for (const times of [1, 2]) {
      await expect(look(thread, { host: HOST, port: 443 })).rejects.toThrow('The examiner thread ended.');
      expect(troubles).toHaveLength(times);
    }
  });

  it('is ended if it does not answer in time', async () => {
    const peer = await startRawPeer(silent);
    onTestFinished(() => peer.stop());
    const troubles: string[] = [];
    const { thread } = await place({
      timeouts: { checks: { observeMs: 1 } },
      onTrouble: ({ message }) => troubles.push(message),
    });
    const silence = { host: '127.0.0.1', port: peer.port };
    await expect(look(thread, silence)).rejects.toThrow('The examiner thread ended.');
    expect(troubles).toEqual(['The examiner thread has not answered for 1 ms, so we stop it.']);
  });

  it('is ended later by the limit of the dialogue if a server is slow before TLS', async () => {
    const peer = await startRawPeer(silent);
    onTestFinished(() => peer.stop());
    const troubles: string[] = [];
    stopTimers();
    const observeMs = 100_000;
    const { thread } = await place({ onTrouble: ({ message }) => troubles.push(message) });
    const { promise: slow, resolve: onSlow } = Promise.withResolvers<void>();
    const endpoint = { host: '127.0.0.1', port: peer.port, protocol: 'smtp' as const };
    const options = { signal: never, authorities: [], withPosture: false, previous: [] };
    const looking = thread.examine(endpoint, { ...options, onSlow });
    const ended = expect(looking).rejects.toThrow('The examiner thread ended.');
    await slow;
    const { dialogueMs } = PROTOCOLS.smtp.startTls.limits;
    vi.advanceTimersByTime(observeMs + dialogueMs - 1);
    expect(troubles).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(troubles).toEqual([
      `The examiner thread has not answered for ${observeMs + dialogueMs} ms, so we stop it.`,
    ]);
    await ended;
  });

  it('an examiner thread that is stopped during a judgement leaves the uptime unknown, and the retry runs in the second thread', async () => {
    const troubles: string[] = [];
    stopTimers();
    const { endpoint, thread, here } = await place({ onTrouble: ({ message }) => troubles.push(message) });
    const good = await look(here, endpoint);
    const hostile = hostileLook();
    await start(thread);
    const first = await late(judged(thread, hostile), JUDGE_MS.checks);
    expect(describeVerdict(first, hostile.endpoint)).toMatchObject({
      reached: false,
      trusted: false,
      findings: [],
      failure: {
        stage: 'examination',
        reason: 'not_examined',
        message: `${HOSTILE_HOST} could not be checked: our check of its certificates took too long.`,
      },
    });
    expect(assessUptime(unexaminedObservation(hostile.endpoint, 0)).state).toBe('unknown');
    expect(isNetworkFailure(unexaminedObservation(hostile.endpoint, 0))).toBe(false);
    const stopped = (ms: number) => `The examiner thread has not answered for ${ms} ms, so we stop it.`;
    expect(troubles).toEqual([stopped(JUDGE_MS.checks)]);
    const second = await judged(thread, hostile);
    expect(second).toMatchObject({ reached: true, failure: null });
    expect(troubles).toHaveLength(1);
    expect((await judged(thread.previews, good)).trusted).toBe(true);
    // The second thread, which judges this endpoint now, has the deadline of previews.
    await late(judged(thread, hostile), JUDGE_MS.previews);
    expect(troubles.slice(1)).toEqual([stopped(JUDGE_MS.previews)]);
    promise('expensive-chains');
  });

  it('leaves expensive judgements to the second thread, with the same verdict', async () => {
    const { thread, here } = await place();
    const hostile = hostileLook();
    const [theirs, ours] = await Promise.all([judged(thread, hostile), judged(here, hostile)]);
    expect(timeless(theirs)).toEqual(timeless(ours));
    expect(theirs.findings.map(({ code }) => code)).toContain('path_invalid');

    const troubles: string[] = [];
    stopTimers();
    const { thread: other } = await place({ onTrouble: ({ message }) => troubles.push(message) });
    await start(other);
    // The first thread judges this observation, and its deadline is later than that of previews.
    const inTime = await late(judged(other, { ...hostile, addresses: [] }), JUDGE_MS.previews);
    expect(inTime.failure?.reason).toBe('no_addresses');
    expect(troubles).toEqual([]);
    expect((await judged(other, hostile)).reached).toBe(true);
    const tooLate = await late(judged(other, hostile), JUDGE_MS.previews);
    expect(tooLate.failure?.reason).toBe('not_examined');
    expect(troubles).toHaveLength(1);
  });

  it('counts each verdict cut short by the work limit and each thread stopped during a judgement', async () => {
    let cut = 0;
    const counting = { onLimit: () => void (cut += 1), onTrouble: () => undefined };
    const { endpoint, thread } = await place(counting);
    expect((await examine(thread, endpoint)).verdict.trusted).toBe(true);
    expect(cut).toBe(0);
    await judged(thread, hostileLook());
    expect(cut).toBe(1);

    const { thread: generous } = await place({
      ...counting,
      checkWork: 1_000 * STANDARD_LIMITS.workPerCheck,
    });
    await judged(generous, hostileLook());
    expect(cut).toBe(1);

    stopTimers();
    const { thread: stopped } = await place(counting);
    await start(stopped.previews);
    await late(judged(stopped.previews, hostileLook()), JUDGE_MS.previews);
    expect(cut).toBe(2);
    promise('expensive-chains');
  });

  it('the examiner thread for previews is ended without affecting a running check', async () => {
    const troubles: string[] = [];
    stopTimers();
    const { endpoint, thread } = await place({ onTrouble: ({ message }) => troubles.push(message) });
    await start(thread.previews);
    const looking = look(thread, endpoint);
    const verdict = await late(judged(thread.previews, hostileLook()), JUDGE_MS.previews);
    expect(verdict.failure?.reason).toBe('not_examined');
    expect((await looking).addresses).toMatchObject([{ outcome: 'handshake' }]);
    expect(troubles).toHaveLength(1);
  });

  it('the examiner thread for previews starts on demand and ends when idle', async () => {
    const { endpoint, thread } = await place({ idleMs: 1 });
    await start(thread);
    for (const times of ['first', 'second']) {
      const started = once(process, 'worker') as Promise<[Worker]>;
      const looking = look(thread.previews, endpoint);
      const [worker] = await started;
      const ended = once(worker, 'exit');
      await looking;
      expect(await ended, times).toEqual([1]);
    }
  });

  it('serves other probes between two hostile judgements', async () => {
    const { endpoint, thread } = await place();
    const done: string[] = [];
    await look(thread, endpoint);
    const looks = Array.from({ length: 12 }, (_, index) => hostileLook(`h${index}.${HOSTILE_HOST}`));
    // All requests are sent before the first one is awaited.
    const hostile = looks.map((seen) => judged(thread, seen).then(() => done.push('hostile')));
    const looking = look(thread, { host: '127.0.0.1', port: 1 }).then(() => done.push('look'));
    await Promise.all([...hostile, looking]);
    expect(done.indexOf('look')).toBeLessThan(10);
  });

  it('keeps working while the main thread is busy', async () => {
    const { thread } = await place();
    const folder = temporaryFolder();
    const keyLog = join(folder.path, 'keys');
    const peer = await startOpensslServer(leaf, { arguments: ['-keylogfile', keyLog] });
    onTestFinished(async () => {
      await peer.stop();
      folder.remove();
    });
    const endpoint = { host: '127.0.0.1', port: peer.port };
    // The first probe starts the thread.
    await look(thread, endpoint);
    truncateSync(keyLog);
    const looking = look(thread, endpoint);
    // Block this thread until the server has written the keys of the second handshake.
    for (let polls = 0; statSync(keyLog).size === 0; polls++) {
      if (polls === 3_000) expect.fail('there was no handshake while this thread was busy');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
    expect((await looking).addresses).toMatchObject([{ outcome: 'handshake' }]);
  });
});

type Endpoint = { host: string; port: number };

/** Deadlines in ms that no judgement reaches by chance, even on a busy machine. */
const JUDGE_MS = { checks: 90_000, previews: 60_000 };

/** Makes sure that the thread has started: deadlines begin with the request only if it has. */
const start = (examiner: Examiner) => look(examiner, { host: '127.0.0.1', port: 1 });

/** Lets time pass after a request was sent and before this process can receive its answer. Timers must be stopped. */
async function late<T>(request: Promise<T>, ms: number): Promise<T> {
  // Runs only the microtasks that start the timer: a turn of the event loop could deliver the answer.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  vi.advanceTimersByTime(ms);
  return request;
}

async function place(more: Partial<Parameters<typeof createThreadedExaminer>[0]> = {}) {
  const dns = await startDnsServer({ [HOST]: { addresses: ['127.0.0.1'] } });
  const peer = await startTlsServer({ '*': leaf });
  const thread = createThreadedExaminer({
    ...settingsOf(dns.address),
    timeouts: {
      checks: { observeMs: 100_000, judgeMs: JUDGE_MS.checks, abortedMs: 100_000 },
      previews: { observeMs: 100_000, judgeMs: JUDGE_MS.previews, abortedMs: 100_000 },
    },
    onTrouble: (error) => expect.fail(error.message),
    ...more,
  });
  onTestFinished(async () => {
    await thread.close();
    await Promise.all([dns.stop(), peer.stop()]);
  });
  const policy = createAddressPolicy(['127.0.0.0/8']);
  const resolver = createResolver({ servers: [dns.address], policy });
  const probe = createProbe({ resolver, policy, now: Date.now, sources: NO_SOURCES, timeouts: PATIENT });
  const here = createExaminer({ probe, trustStore: createTrustStore([]), now: Date.now });
  return { endpoint: { host: HOST, port: peer.port }, thread, here };
}

function settingsOf(nameServer: string) {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return {
    dnsServers: [nameServer],
    egressAllowCidrs: ['127.0.0.0/8'],
    hostsFile: null,
    ownNames: { ehloName: null, publicHost: 'localhost' },
    extraCaPem: null,
    logLists: NO_LOG_LISTS,
    cacheFolder: folder.path,
    checkWork: STANDARD_LIMITS.workPerCheck,
  };
}

/** Returns an observation that uses up all the work allowed for a probe. */
function hostileLook(host = HOSTILE_HOST): Observation {
  const addresses = Array.from({ length: 10 }, (_, index) => {
    const strays = Array.from({ length: index }, () => ({ der: Uint8Array.of(0x30, index) }));
    return handshakeWith([...hostileChain, ...strays], { address: `192.0.2.${index}` });
  });
  return observation(addresses, { endpoint: { host, port: 443, protocol: 'tls' } });
}

async function look(examiner: Examiner, endpoint: Endpoint, signal = never): Promise<Observation> {
  const options = { signal, authorities: [root.der], withPosture: false, previous: [] };
  return (await examiner.examine({ ...endpoint, protocol: 'tls' }, options)).observation;
}

const judged = (examiner: Examiner, observation: Observation) =>
  examiner.judge({ observation, now: Date.now(), authorities: [root.der], previous: null });

async function examine(examiner: Examiner, endpoint: Endpoint, authorities = [root.der]) {
  const options = { signal: never, authorities, withPosture: false, previous: [null] };
  const { verdicts, certificates } = await examiner.examine({ ...endpoint, protocol: 'tls' }, options);
  const [verdict] = verdicts;
  if (verdict === undefined) throw new Error('The examination has no verdict');
  return { verdict, certificates };
}

/** Returns a verdict without the parts that differ between two probes and two sets of public roots. */
function timeless({ trusted, leafFingerprint, findings, failure }: Verdict) {
  return { trusted, leafFingerprint, failure, codes: findings.map(({ code }) => code) };
}
