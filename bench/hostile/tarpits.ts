import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createEmailChannel } from '../../server/channels/email/email-channel.ts';
import { createHttpChannels } from '../../server/channels/http-channels.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createIconSource } from '../../server/probe/icons/icon-source.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { systemClock } from '../../server/worker/clock.ts';
import { createWorker } from '../../server/worker/worker.ts';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { listening, startTlsServer } from '../../tests/kit/peers/tls-server.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { Protocol } from '../../contract/protocols.ts';
import { type Figure, percentile } from '../scale/figures.ts';
import { addAccount, addDomain, OPEN, openProduct } from './product.ts';

const TARPITS = 200;
const ORDINARY = 100;
/** The worker's default for CHECK_CONCURRENCY. */
const CONCURRENCY = 64;
/** Rounds with and without tarpits alternate, so that other load on the machine slows down both. */
const ROUNDS = 5;
const LASTS_MS = 8_000;
const EVERY_MS = 50;
/** Time in ms after which no tarpit occupies a slot any more. */
const BEGINNING_MS = 3_000;
/** Maximum delay of an ordinary check during `BEGINNING_MS`: each tarpit occupies a slot for half a second. */
const MAX_DELAY_MS = 3_000;
/** Maximum ratio of the delays of ordinary checks with tarpits to their delays without, in the same run. */
const MAX_RATIO = 1.5;

/**
 * Measures how long ordinary checks take from their due time to their result, alone and while 200 mail servers of one account, all
 * due at the same time, delay their greetings.
 */
export async function measureTarpits(): Promise<Figure[]> {
  const product = await openProduct();
  const { store, dns, examiner, folder } = product;
  const leaf = mintAuthority().issue({ dnsNames: ['*.site.test'] });
  const site = await startTlsServer({ '*': leaf });
  const tarpit = await startTarpit();
  const policy = createAddressPolicy(OPEN);
  const resolver = createResolver({ servers: [dns.address], policy });
  const email = createEmailChannel({ smtpUrl: null, mailFrom: 'bench@certs.test', captureDir: folder });
  const silentLog = () => undefined;
  const worker = createWorker({
    store,
    examiner,
    icons: createIconSource({ resolver, policy }),
    email,
    channels: createHttpChannels({ resolver, policy }),
    canaries: null,
    supportEmail: 'operator@certs.test',
    heartbeat: null,
    unsubscribeKeys: { page: randomBytes(32), oneClick: randomBytes(32) },
    clock: systemClock,
    random: Math.random,
    concurrency: CONCURRENCY,
    log: { debug: silentLog, info: silentLog, warn: silentLog, error: silentLog },
    publicUrl: new URL('https://certs.test'),
    productName: 'Certlantern',
  });
  try {
    const add = async (
      name: string,
      accountId: string,
      port: number,
      protocol: Protocol,
    ): Promise<string> => {
      dns.entries.set(name, { addresses: ['127.0.0.1'] });
      return addDomain(store, { host: name, accountId, port, protocol });
    };
    const ordinary: string[] = [];
    for (let index = 0; index < ORDINARY; index++) {
      const accountId = await premiumAccount(store, `person-${index}`);
      ordinary.push(await add(`${index}.site.test`, accountId, site.port, 'tls'));
    }
    const attacker = await premiumAccount(store, 'attacker');
    for (let index = 0; index < TARPITS; index++)
      await add(`${index}.tarpit.test`, attacker, tarpit.port, 'smtp');
    const tarpits = store.db.updateTable('monitors').where('account_id', '=', attacker);
    await tarpits.set({ next_check_at: Date.now() + DAY_MS }).execute();
    worker.start();
    // The first round is not measured: in it, the product compiles its code and checks the posture.
    await measureDelays(store, ordinary, LASTS_MS);
    const alone: number[] = [];
    const beginning: number[] = [];
    const beside: number[] = [];
    let waiting = TARPITS;
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(...(await measureDelays(store, ordinary, LASTS_MS)));
      await tarpits.set({ next_check_at: Date.now() }).execute();
      beginning.push(...(await measureDelays(store, ordinary, BEGINNING_MS)));
      beside.push(...(await measureDelays(store, ordinary, LASTS_MS)));
      waiting = Math.min(waiting, tarpit.waiting());
      await tarpit.greet();
    }
    const longest = Math.max(...beginning, ...beside);
    return [
      { what: 'tarpits that wait at the end of each round', value: waiting, unit: '', min: TARPITS },
      { what: 'longest delay of an ordinary check', value: longest, unit: 'ms', max: MAX_DELAY_MS },
      ...[0.5, 0.95].flatMap((share): Figure[] => {
        const [before, after] = [percentile(alone, share), percentile(beside, share)];
        const which = share === 0.5 ? 'median' : '95th percentile';
        return [
          { what: `delay of ordinary checks, ${which}, alone`, value: before, unit: 'ms' },
          { what: `delay of ordinary checks, ${which}, with tarpits`, value: after, unit: 'ms' },
          { what: `ratio, ${which}`, value: after / before, unit: '', max: MAX_RATIO },
        ];
      }),
    ];
  } finally {
    await worker.stop();
    email.close();
    await Promise.all([site.stop(), tarpit.stop()]);
    await product.close();
  }
}

/** Makes one monitor after another due. Returns, for each, the time in ms from its due time to the recorded result. */
async function measureDelays(store: Store, monitors: readonly string[], lastsMs: number): Promise<number[]> {
  const dueAt = new Map<string, number>();
  const delays: number[] = [];
  const unsubscribe = store.signals.subscribe((signal) => {
    if (signal.topic !== 'domain' || signal.change !== 'checked') return;
    const at = dueAt.get(signal.monitorId);
    dueAt.delete(signal.monitorId);
    if (at !== undefined) delays.push(performance.now() - at);
  });
  const endsAt = performance.now() + lastsMs;
  for (let turn = 0; performance.now() < endsAt; turn++) {
    const id = monitors[turn % monitors.length] ?? '';
    if (!dueAt.has(id)) {
      dueAt.set(id, performance.now());
      await store.db
        .updateTable('monitors')
        .set({ next_check_at: Date.now() })
        .where('id', '=', id)
        .execute();
      store.signals.publish({ topic: 'due' });
    }
    await delay(EVERY_MS);
  }
  // For a check that has not ended yet, counts the delay until now.
  for (const at of dueAt.values()) delays.push(performance.now() - at);
  unsubscribe();
  return delays;
}

/** Starts a server that greets only when `greet` is called, and then closes the connection. */
async function startTarpit() {
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    waiting.add(socket.resume());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => waiting.delete(socket));
  });
  return {
    ...(await listening(server)),
    waiting: () => waiting.size,
    /** Resolves when every check has ended. */
    async greet() {
      for (const socket of waiting) socket.end('220 mail.tarpit.test ESMTP\r\n');
      while (waiting.size > 0) await delay(100);
      await delay(1_000);
    },
  };
}

async function premiumAccount(store: Store, name: string): Promise<string> {
  const id = await addAccount(store, name);
  await grantPremium(store, id, { grant: { endsAt: null }, now: Date.now() });
  return id;
}
