import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { createFailureLimit } from './failure-limit.ts';

const NOW = Date.UTC(2030, 0, 2);
const ADDRESS = '192.0.2.1';
const never = new AbortController().signal;

function started() {
  const clock = { now: NOW, setAheadBy: 0 };
  const limit = createFailureLimit({
    now: () => clock.now + clock.setAheadBy,
    monotonic: () => clock.now - NOW,
  });
  const ran: string[] = [];
  const ends: (() => void)[] = [];
  /** Begins an attempt. A test ends it by calling the function that the attempt appends to `ends`. */
  const begin = (name: string, { address = ADDRESS, signal = never } = {}): Promise<string | null> =>
    limit.run(
      address,
      async () => {
        ran.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return name;
      },
      signal,
    );
  return { clock, limit, ran, ends, begin };
}
/** Waits until all code that can run now has run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('The limit of failed handshakes', () => {
  it('runs at most three attempts per address at once, and the others in order of arrival', async () => {
    const { ran, ends, begin } = started();
    const results = ['a', 'b', 'c', 'd', 'e'].map((name) => begin(name));
    const elsewhere = begin('x', { address: '192.0.2.2' });
    await settle();
    expect(ran).toEqual(['a', 'b', 'c', 'x']);
    while (ends.length > 0) {
      ends.shift()?.();
      await settle();
    }
    expect(ran).toEqual(['a', 'b', 'c', 'x', 'd', 'e']);
    expect(await Promise.all([...results, elsewhere])).toEqual(['a', 'b', 'c', 'd', 'e', 'x']);
  });

  it('runs no attempt while an address has had three failures within 15 minutes', async () => {
    const { clock, limit, ran, ends, begin } = started();
    limit.record(ADDRESS);
    clock.now += MINUTE_MS;
    limit.record(ADDRESS);
    expect(limit.resumesAt(ADDRESS)).toBeNull();
    const running = begin('a');
    const waiting = begin('b');
    await settle();
    limit.record(ADDRESS);
    ends[0]?.();
    expect([await running, await waiting]).toEqual(['a', null]);
    expect(await begin('c')).toBeNull();
    expect(limit.resumesAt(ADDRESS)).toBe(NOW + 16 * MINUTE_MS);
    clock.now = NOW + 15 * MINUTE_MS;
    void begin('d');
    void begin('e');
    await settle();
    expect(ran).toEqual(['a', 'd']);
    clock.now = NOW + 16 * MINUTE_MS;
    expect(limit.resumesAt(ADDRESS)).toBeNull();
  });

  it('ends 15 minutes after the failures, even if the clock is set ahead and back meanwhile', () => {
    const { clock, limit } = started();
    clock.setAheadBy = 400 * DAY_MS;
    for (let failure = 0; failure < 3; failure++) limit.record(ADDRESS);
    expect(limit.resumesAt(ADDRESS)).toBe(NOW + 400 * DAY_MS + 15 * MINUTE_MS);
    clock.setAheadBy = 0;
    expect(limit.resumesAt(ADDRESS)).toBe(NOW + 15 * MINUTE_MS);
    clock.now += 15 * MINUTE_MS;
    expect(limit.resumesAt(ADDRESS)).toBeNull();
  });

  it('gives up a waiting attempt when it is aborted, and runs the next one', async () => {
    const { ran, ends, begin } = started();
    const stop = new AbortController();
    for (const name of ['a', 'b', 'c']) void begin(name);
    const waiting = begin('d', { signal: stop.signal });
    void begin('e');
    stop.abort();
    expect(await waiting).toBeNull();
    expect(await begin('f', { signal: stop.signal })).toBeNull();
    ends[0]?.();
    await settle();
    expect(ran).toEqual(['a', 'b', 'c', 'e']);
  });
});
