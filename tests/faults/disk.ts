import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Database } from '../kit/databases/database.ts';
import { keepWriting, listDomains, waitForMessages } from './kills.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { seededRandom } from './random.ts';
import { createWorld } from './world.ts';
import { createWrites } from './writes.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/** Number of writes that must be refused. It is below the number of domains that an account may add per minute. */
const REFUSALS = 12;
const PAUSE_MS = 250;
const MAX_FULL_MS = MINUTE_MS;
const WAIT_TIMEOUT_MS = 4 * MINUTE_MS;

/**
 * Fills the disk of SQLite until 12 writes were refused, but at most for a minute, then frees it. No acknowledged write
 * or alert may be lost, and `/api/health` must say that the disk is full. `small` is the folder where a small disk is mounted.
 */
export async function fillDisk(database: Database, small: string): Promise<Outcome> {
  const world = await createWorld(database, { dataDir: small });
  const limits = createLimits();
  try {
    const app = await world.start();
    const person = await world.addPerson();
    const writes = createWrites(person, world.hosts);
    const random = seededRandom(1);
    const write = async (ms: number): Promise<void> => {
      const ending = new AbortController();
      const newHost = () => world.hosts.add('ends in days');
      const busy = keepWriting(writes, { random, newHost, ending });
      await delay(ms);
      ending.abort();
      await Promise.all(busy);
    };
    await write(1_000);
    const before = writes.acknowledged();
    const ballast = join(small, 'ballast');
    const refusals: string[] = [];
    const fullAt = Date.now();
    // SQLite still accepts writes that fit into the existing WAL file, so keep writing until enough writes are refused.
    const isOver = () => refusals.length >= REFUSALS || Date.now() - fullAt > MAX_FULL_MS;
    const writeUntilRefused = async (): Promise<void> => {
      while (!isOver()) {
        fill(ballast);
        const host = world.hosts.add('ends in days');
        const answer = await person.ask(CALLS.addDomain, { body: { host } }).catch((error: unknown) => error);
        const refusal = refusalOf(answer);
        if (refusal === TOO_MANY) await delay(PAUSE_MS);
        else if (refusal !== null) refusals.push(refusal);
      }
    };
    await Promise.all(Array.from({ length: 4 }, writeUntilRefused));
    const health = async (path: string): Promise<number> =>
      (await fetch(`${app.url}/api/health${path}`)).status;
    const whileFull = [await health(''), await health('/live')];
    const fullMs = Date.now() - fullAt;
    rmSync(ballast);
    await write(3_000);
    const deadline = Date.now() + MAX_FULL_MS;
    while ((await health('')) !== 200 && Date.now() < deadline) await delay(PAUSE_MS);
    limits.expect(
      whileFull.join() === '503,200',
      `health and liveness answered ${whileFull.join()} while the disk was full`,
    );
    limits.expect((await health('')) === 200, 'health did not answer 200 after space was free again');
    const { domains, hosts } = await listDomains(world, [{ person }]);
    const result = await waitForMessages(world, hosts, WAIT_TIMEOUT_MS);
    for (const what of [...result.lost, ...result.strange, ...result.disordered]) limits.expect(false, what);
    for (const what of writes.compare(domains.get(person) ?? [])) limits.expect(false, what);
    const isAlive = app.process.exitCode === null && app.process.signalCode === null;
    limits.expect(isAlive, `the product exited: ${app.output().slice(-500)}`);
    limits.expect(
      refusals.length >= REFUSALS,
      `only ${refusals.length} of ${REFUSALS} writes were refused by the full disk`,
    );
    limits.expect(/full/i.test(app.output()), 'the log does not say that the disk is full');
    return {
      line: `disk full for ${(fullMs / 1_000).toFixed(1)} s: ${refusals.length} writes refused (${[...new Set(refusals)].join('; ')}), ${before} acknowledged before; afterwards lost ${result.lost.length} of ${result.notifications}, duplicates ${result.duplicates}`,
      broken: limits.broken,
    };
  } finally {
    await world.end();
  }
}

function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (let bytes = 1 << 20; bytes >= 1; bytes >>= 1) while (append(file, bytes));
  } finally {
    closeSync(file);
  }
}

function append(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes;
  } catch {
    return false;
  }
}

const TOO_MANY = 'too many';

/** Returns the reason why a write was refused; null if it was accepted. */
function refusalOf(answer: unknown): string | null {
  if (answer instanceof Error) return answer.message;
  const asked = answer as { status: number; problem: { code: string; detail?: string } };
  if (asked.status === 429) return TOO_MANY;
  return asked.status === 200 ? null : `${asked.problem.code}: ${asked.problem.detail ?? ''}`;
}
