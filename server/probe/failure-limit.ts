import { MINUTE_MS, type Monotonic } from '../../contract/durations.ts';
import type { AddressObservation } from '../core/observation.ts';
import { tryParseCertificate } from '../pki/certificate.ts';
import { WorkBudget } from '../pki/work-budget.ts';
import type { AddressProbeOptions } from './address-probe.ts';

/**
 * fail2ban blocks an address after 5 failures within 10 minutes (`maxretry`, `findtime`), and its filters for Postfix and Dovecot count each
 * failed handshake. Posture probes pause after 3 within 15 minutes. Failures of ordinary checks count too, but these checks never pause.
 */
const MAX_FAILURES = 3;
const WINDOW_MS = 15 * MINUTE_MS;

/** Limits the failures at an address: connections to any of its ports whose STARTTLS dialogue or handshake fails. */
export interface FailureLimit {
  /** Counts a failure. */
  record(address: string): void;
  /**
   * Runs an attempt that may fail once. If the limit could be exceeded because other attempts are in progress, waits for them, in order of
   * arrival. Returns null without running the attempt if the limit is reached, or if `signal` aborts first.
   */
  run<T>(address: string, attempt: () => Promise<T>, signal: AbortSignal): Promise<T | null>;
  /** Returns when an address that has reached the limit may get attempts again (ms UTC), or null if it has not reached it. */
  resumesAt(address: string): number | null;
}

interface Failures {
  /** Times of the failures by the monotonic clock, the oldest first. */
  at: number[];
  running: number;
  /** Called with true if the attempt may run, or false if the limit is reached. */
  waiting: ((mayRun: boolean) => void)[];
}

/** Creates a limit. `now` returns ms UTC. The limit is kept in memory, so each thread and process has its own. */
export function createFailureLimit({
  now,
  monotonic,
}: {
  now: () => number;
  monotonic: Monotonic;
}): FailureLimit {
  /** By address. Addresses with the most recent failures come last. */
  const byAddress = new Map<string, Failures>();

  function failuresAt(address: string): Failures {
    const known = byAddress.get(address) ?? { at: [], running: 0, waiting: [] };
    known.at = known.at.filter((at) => at > monotonic() - WINDOW_MS);
    byAddress.set(address, known);
    return known;
  }

  function forgetOld(): void {
    for (const [address, { at, running, waiting }] of byAddress) {
      if ((at.at(-1) ?? -Infinity) > monotonic() - WINDOW_MS) return;
      if (running === 0 && waiting.length === 0) byAddress.delete(address);
    }
  }

  function wake(failures: Failures): void {
    const isReached = (): boolean => failures.at.length >= MAX_FAILURES;
    while (isReached() || failures.at.length + failures.running < MAX_FAILURES) {
      const next = failures.waiting.shift();
      if (next === undefined) return;
      if (!isReached()) failures.running++;
      next(!isReached());
    }
  }

  return {
    record(address) {
      const failures = failuresAt(address);
      failures.at.push(monotonic());
      byAddress.delete(address);
      byAddress.set(address, failures);
      forgetOld();
    },
    async run(address, attempt, signal) {
      const failures = failuresAt(address);
      const { promise: turn, resolve } = Promise.withResolvers<boolean>();
      const giveUp = (): void => {
        failures.waiting = failures.waiting.filter((one) => one !== resolve);
        resolve(false);
      };
      failures.waiting.push(resolve);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
      wake(failures);
      const mayRun = await turn;
      signal.removeEventListener('abort', giveUp);
      if (!mayRun) return null;
      try {
        return await attempt();
      } finally {
        failures.running--;
        wake(failures);
        forgetOld();
      }
    },
    resumesAt(address) {
      const { at } = failuresAt(address);
      const last = at.at(-1);
      if (last === undefined || at.length < MAX_FAILURES) return null;
      return now() + last + WINDOW_MS - monotonic();
    },
  };
}

/**
 * Creates a limiter that aborts the handshakes of a probe once OpenSSL may have spent the probe's work budget on their
 * chains. Addresses whose handshake is not complete by then are reported as `too_large`.
 */
export function limitHandshakes(work: WorkBudget, deadline: AbortSignal) {
  const budget = new WorkBudget(work.total);
  const running = new Set<AbortController>();
  deadline.addEventListener('abort', () => running.forEach((one) => one.abort()), { once: true });
  return {
    isExhausted: () => budget.isExhausted,
    async run(
      probeAddress: (options: Pick<AddressProbeOptions, 'signal' | 'onChain'>) => Promise<AddressObservation>,
    ): Promise<AddressObservation> {
      const own = new AbortController();
      running.add(own);
      if (deadline.aborted) own.abort();
      const onChain = (chain: readonly Uint8Array[]): void => {
        const bytes = chain.reduce((sum, { length }) => sum + length, 0);
        if (budget.spendHandshake(chain.map(tryParseCertificate), bytes)) return;
        work.exhaust();
        // Abort the other handshakes at once: the next socket may bring another expensive chain. Never abort this
        // handshake: Node 26 crashes if a socket is destroyed below its TLS layer while that layer reads from it.
        for (const one of running) if (one !== own) one.abort();
      };
      const seen = await probeAddress({ signal: own.signal, onChain });
      if (seen.outcome === 'handshake' || !budget.isExhausted || deadline.aborted) return seen;
      return { ...seen, stage: 'handshake', reason: 'too_large', tlsAlert: null, detail: null };
    },
  };
}
