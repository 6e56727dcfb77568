import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { assessUptime } from '../../server/core/check/uptime.ts';
import type { Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { STOPPED } from '../kit/peers/loopback.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { startScriptedPeer } from '../kit/peers/scripted-peer.ts';
import { goodbyeSteps } from './goodbyes.ts';
import { type Talk, TALKS } from './starttls-talks.ts';
import type { Protocol } from '../../contract/protocols.ts';

const certificate = mintAuthority()
  .intermediate()
  .issue({ dnsNames: ['site.test'] });
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
const POSTFIX = TALKS.find(({ server }) => server === 'Postfix') as Talk;
const shaken = { addresses: [{ outcome: 'handshake' }] };
const failed = (reason: string) => ({ addresses: [{ outcome: 'failed', stage: 'starttls', reason }] });

describe('The probe of a server that delays its replies', () => {
  it.each(TALKS)(
    'the probe of a server that delays its replies waits 59 seconds for the first message of $server over $protocol',
    async (talk) => {
      const { peer, answer } = await delayingPeer(talk);
      const probe = await startProbe(peer.port, talk.protocol);
      probe.passUntil(59_000);
      await answer(1, probe.observation);
      expect(await probe.observation).toMatchObject(shaken);
      expect(peer.unexpected).toEqual([]);
    },
  );

  it('waits 20 seconds for each reply of a mail server', async () => {
    const { peer, answer, answerOnce } = await delayingPeer(POSTFIX);
    const probe = await startProbe(peer.port, 'smtp');
    for (const seconds of [20, 40, 60]) {
      probe.passUntil(seconds * 1_000);
      await answerOnce();
    }
    await answer(1, probe.observation);
    expect(await probe.observation).toMatchObject(shaken);
  });

  it('ends after 90 seconds if a reply after the greeting does not come', async () => {
    const { peer, answerOnce, wanted } = await delayingPeer(POSTFIX);
    const probe = await startProbe(peer.port, 'smtp');
    probe.passUntil(59_000);
    await answerOnce();
    await expect.poll(wanted, STOPPED).toBe(2);
    probe.passUntil(89_999);
    expect(await isPending(probe.observation)).toBe(true);
    probe.passUntil(90_000);
    expect(await probe.observation).toMatchObject(failed('timeout'));
  });

  it.each([
    ['is silent', silent],
    ['sends its greeting byte by byte and never ends it', trickling],
  ])(
    'the probe of a server that delays its replies ends after 60 seconds, and the server is down, if it %s',
    async (_name, behave) => {
      const peer = await startRawPeer(behave);
      onTestFinished(() => peer.stop());
      const probe = await startProbe(peer.port, 'smtp');
      for (let second = 2; second < 60; second++) {
        probe.passUntil(second * 1_000);
        await turns(4);
      }
      expect(await isPending(probe.observation)).toBe(true);
      // The check then tries a silent server with TLS for a few seconds.
      for (let second = 60; await isPending(probe.observation); second++) probe.passUntil(second * 1_000);
      const observation = await probe.observation;
      expect(observation).toMatchObject(failed('greeting_timeout'));
      expect(assessUptime(observation).state).toBe('down');
    },
  );

  it('says nothing about the uptime if it is aborted before the server has greeted', async () => {
    const peer = await startRawPeer(silent);
    onTestFinished(() => peer.stop());
    const probe = await startProbe(peer.port, 'smtp');
    probe.abort();
    const observation = await probe.observation;
    expect(observation).toMatchObject(failed('slow_answers'));
    expect(assessUptime(observation).state).toBe('unknown');
  });

  it('runs three posture handshakes with a server that greets after 30 seconds, and postpones the rest', async () => {
    const { peer, answer, wanted } = await delayingPeer(POSTFIX);
    const probe = await startProbe(peer.port, 'smtp', { withPosture: true });
    probe.passUntil(30_000);
    await answer(
      1,
      untilTrue(() => peer.accepted() > 1),
    );
    // Three more connections wait for their greetings at the same time. The first one has had three replies and the answer to
    // its goodbye.
    await expect.poll(wanted, STOPPED).toBe(4 + 3);
    probe.passUntil(60_000);
    await answer(1 + 3, probe.observation);
    const { posture } = await probe.observation;
    expect(peer.accepted()).toBe(1 + 3);
    expect(posture?.tlsVersions.map(({ offered }) => offered)).toEqual([null, null, true, true]);
    expect(posture).toMatchObject({ untestedKeyTypes: [], postponed: ['tls_versions'] });
  });

  it('opens no posture connection that would not get its greeting in time', async () => {
    const { peer, answer } = await delayingPeer(POSTFIX);
    const probe = await startProbe(peer.port, 'smtp', { withPosture: true });
    probe.passUntil(59_000);
    await answer(1, probe.observation);
    const { posture } = await probe.observation;
    expect(posture?.tlsVersions.map(({ offered }) => offered)).toEqual([null, null, null, true]);
    expect(peer.accepted()).toBe(1);
  });
});

/** Starts a peer that sends each message only when told. `wanted` returns how many messages it has wanted to send. */
async function delayingPeer(talk: Talk) {
  let wanted = 0;
  let waiting: { client: number; send: () => void }[] = [];
  const peer = await startScriptedPeer(talk.steps, {
    certificate,
    insideTls: goodbyeSteps(talk, 'upgraded'),
    delay(client) {
      wanted += 1;
      return new Promise<void>((send) => waiting.push({ client, send }));
    },
  });
  onTestFinished(() => peer.stop());
  const sendUpTo = (last: number): void => {
    const ready = waiting.filter(({ client }) => client <= last);
    waiting = waiting.filter(({ client }) => client > last);
    for (const { send } of ready) send();
  };
  return {
    peer,
    wanted: () => wanted,
    answerOnce: async () => {
      await untilTrue(() => waiting.length > 0);
      sendUpTo(Infinity);
    },
    /** Until `until` has settled, sends each message at once to the clients with numbers up to `last`. */
    answer: async (last: number, until: Promise<unknown>) => {
      while (await isPending(until)) {
        sendUpTo(last);
        await turns(1);
      }
    },
  };
}

/** Starts a probe with the product's time limits and stopped timers. Resolves when its dialogue counts as slow. */
async function startProbe(port: number, protocol: Protocol, { withPosture = false } = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const onSlow = vi.fn();
  const controller = new AbortController();
  const probe = createProbe({ resolver, policy, now: Date.now, sources: NO_SOURCES });
  const observation: Promise<Observation> = probe.observe(
    { host: 'site.test', port, protocol },
    { signal: controller.signal, trustStore: createTrustStore([]), withPosture, onSlow },
  );
  // Three timers run once the probe is connected: for the whole probe, for the greeting, and until the dialogue counts as
  // slow.
  await expect.poll(() => vi.getTimerCount(), STOPPED).toBe(3);
  const startedAt = performance.now();
  const passUntil = (ms: number): void => void vi.advanceTimersByTime(startedAt + ms - performance.now());
  passUntil(500);
  expect(onSlow).toHaveBeenCalledTimes(1);
  return { observation, passUntil, abort: () => controller.abort() };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await turns(1);
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  void promise.finally(() => (pending = false));
  await turns(4);
  return pending;
}

function trickling(socket: Socket): void {
  const drip = (): void => {
    if (socket.destroyed) return;
    socket.write('2');
    setImmediate(drip);
  };
  drip();
}
