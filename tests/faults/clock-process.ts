import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import type { Database } from '../kit/databases/database.ts';
import { createClient, sendTo, signIn, signUp } from '../kit/product/people.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { createWorld } from './world.ts';

const AHEAD_MS = 400 * DAY_MS;
/**
 * Runs first in each thread of the server. Moves the date, but not the monotonic clock, by the number of ms in the file
 * SHIFTED_DATE_FILE.
 */
const SHIFT_DATE = `
  import { readFileSync } from 'node:fs';
  const RealDate = Date;
  const now = () => RealDate.now() + Number(readFileSync(process.env.SHIFTED_DATE_FILE, 'utf8'));
  globalThis.Date = class Date extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(now());
      else super(...parts);
    }
    static now = now;
  };`;
/** Duration in ms, longer than the 30 s between two rounds of the watchdog, which notices a jump and corrects the times in the future. */
const ROUND_MS = 40_000;
/** Time in ms for a round of the watchdog and the next check, on a busy machine. */
const CORRECTED_WITHIN_MS = 90_000;

/**
 * Sets the clock of a whole server ahead by 400 days and back, while people use its API and pages. Afterwards limits must end
 * within their window, sessions and tokens from before must work, and checks must go on.
 */
export async function serveThroughClockJump({ database }: { database: Database }): Promise<Outcome> {
  const file = join(database.dataDir, 'ahead-ms');
  const setAhead = (ms: number) => writeFileSync(file, String(ms));
  setAhead(0);
  const world = await createWorld(database, {
    environment: {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SHIFT_DATE)}`,
      SHIFTED_DATE_FILE: file,
    },
  });
  const limits = createLimits();
  try {
    const { url } = await world.start();
    const send = sendTo(url);
    const alice = await world.addPerson({ localPart: 'Alice' });
    const body = { name: 'CI', scopes: ['read' as const], expires_in_days: null };
    const { secret } = (await alice.ask(CALLS.makeToken, { body })).ok.data;
    await alice.ask(CALLS.saveStatusPage, { body: { title: 'Fjord', slug: 'fjord', enabled: true } });
    const { id } = (await alice.ask(CALLS.addDomain, { body: { host: world.hosts.add('ends in days') } })).ok
      .data;

    const byToken = async () =>
      (await fetch(`${url}/api/domain/list`, { headers: { authorization: `Bearer ${secret}` } })).status;
    const visit = () => fetch(`${url}/api/status/fjord`);
    const guess = () =>
      createClient(send).ask(CALLS.signIn, { body: { email: alice.email, password: 'a wrong guess' } });
    const expectStatus = (what: string, status: number, wanted = 200) =>
      limits.expect(status === wanted, `${what} answered ${status} instead of ${wanted}`);
    const useUp = async (call: () => Promise<{ status: number }>) => {
      for (let count = 0; count < 1_000; count++) if ((await call()).status === 429) return;
      limits.expect(false, 'a limit was never reached');
    };

    setAhead(AHEAD_MS);
    for (const path of ['/', '/login', '/status/fjord', '/api/health'])
      expectStatus(`ahead: ${path}`, (await fetch(url + path)).status);
    expectStatus('ahead: a token', await byToken());
    const late = await signUp(send, { name: 'Late' });
    await delay(ROUND_MS);
    await useUp(visit);
    await useUp(guess);

    setAhead(0);
    const waits = [visit, guess].map(async (call) => Number((await call()).headers.get('retry-after')));
    const [visitMs = 0, guessMs = 0] = (await Promise.all(waits)).map((seconds) => seconds * 1_000);
    limits.expect(visitMs <= MINUTE_MS, `status pages are refused for ${visitMs} ms`);
    limits.expect(guessMs <= 15 * MINUTE_MS, `sign-ins are refused for ${guessMs} ms`);
    expectStatus('a session from before', (await alice.ask(CALLS.standing)).status);
    expectStatus('a token', await byToken());
    expectStatus('a sign-in', (await signIn(send, late).then(() => ({ status: 200 }))).status);
    await delay(visitMs);
    for (const path of ['/', '/login', '/status/fjord', '/api/status/fjord', '/api/health'])
      expectStatus(path, (await fetch(url + path)).status);

    const { db } = await world.store();
    const corrected = async () => {
      const checked = await db
        .selectFrom('monitors')
        .select('last_checked_at')
        .where('id', '=', id)
        .executeTakeFirst();
      const future = await db
        .selectFrom('sessions')
        .select('id')
        .where('created_at', '>', Date.now() + MINUTE_MS)
        .execute();
      return future.length === 0 && (checked?.last_checked_at ?? Infinity) <= Date.now();
    };
    const until = performance.now() + CORRECTED_WITHIN_MS;
    while (!(await corrected()) && performance.now() < until) await delay(500);
    limits.expect(await corrected(), 'a session or check of the future was not corrected');
    return {
      line: `a server + 400 days and back: status pages wait ${visitMs / 1_000} s, sign-ins ${guessMs / 1_000} s; sessions, tokens and checks go on`,
      broken: limits.broken,
    };
  } finally {
    await world.end();
  }
}
