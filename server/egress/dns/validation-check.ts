import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { withTimeout } from '../with-timeout.ts';
import { askServer, type NameServer } from './dns-exchange.ts';

interface Known {
  validates: Promise<boolean>;
  /** When the server is asked again, ms UTC. */
  until: number;
}

/**
 * Creates a check whether a server validates DNSSEC: whether its answer about a signed name has the AD bit. Keeps the result for a day, or
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
