import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';
import { type TimeLimit, withTimeout } from '../with-timeout.ts';
import { askServer, type NameServer } from './dns-exchange.ts';

interface Known {
  validates: Promise<boolean>;
  /** When the server is asked again, ms UTC. */
  until: number;
}

/**
 * Creates a check for whether a server validates DNSSEC: its answer about a signed name has the AD bit. Keeps the result for a day, or
 * for an hour if the server did not respond.
 */
export function createValidationCheck({
  now,
  signedName,
  timeoutMs,
}: {
  now: () => number;
  signedName: string;
  timeoutMs: number;
}): (server: NameServer, signal: AbortSignal) => Promise<boolean> {
  const known = new Map<string, Known>();
  const never = new AbortController().signal;

  const ask = (server: NameServer): Known => {
    const limit = { ms: timeoutMs, signal: never };
    const question = { name: signedName, type: 'SOA' } as const;
    const check = async (): Promise<boolean> => {
      const response = await askServer(server, question, { disableChecking: false, limit });
      if (typeof response !== 'string') return response.isAuthentic;
      fresh.until = now() + HOUR_MS;
      return false;
    };
    const fresh: Known = { validates: Promise.resolve(false), until: now() + DAY_MS };
    fresh.validates = check();
    return fresh;
  };

  return (server, signal) => {
    const key = `${server.address} ${server.port}`;
    let state = known.get(key);
    // The last condition holds if the clock was set back.
    if (state === undefined || now() >= state.until || now() < state.until - DAY_MS) {
      state = ask(server);
      known.set(key, state);
    }
    return withTimeout(state.validates, { ms: timeoutMs, signal }, false);
  };
}

/** How long we believe that a resolver knows the root, ms. It is short, because a resolver can break at any time. */
const ROOT_MS = MINUTE_MS;

/**
 * Creates a check for whether a resolver denies that the root exists (a captive portal) or finds its signatures wrong (a wrong clock): then it says
 * nothing about other names either. `ask` returns the root's SOA records, or why there is no answer. A resolver without an answer denies nothing.
 */
export function createRootCheck(
  now: () => number,
  ask: (server: NameServer) => Promise<readonly unknown[] | string>,
): (server: NameServer, limit: TimeLimit) => Promise<boolean> {
  const known = new Map<string, { denies: Promise<boolean>; at: number }>();
  const denies = async (server: NameServer): Promise<boolean> => {
    const answer = await ask(server);
    return answer === 'bogus' || (typeof answer !== 'string' && answer.length === 0);
  };
  return (server, limit) => {
    const key = `${server.address} ${server.port}`;
    const state = known.get(key);
    const ageMs = now() - (state?.at ?? 0);
    const fresh =
      state !== undefined && ageMs >= 0 && ageMs < ROOT_MS ? state : { denies: denies(server), at: now() };
    known.set(key, fresh);
    return withTimeout(fresh.denies, limit, false);
  };
}
