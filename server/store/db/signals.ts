import { EventEmitter } from 'node:events';
import { onNobodysBehalf } from './caller.ts';

/** A wake-up signal about a change in the database. Signals may get lost, so listeners must also poll. */
export type Signal =
  | { topic: 'due' }
  | { topic: 'deliveries' }
  | { topic: 'mails' }
  /** A preview check was requested. */
  | { topic: 'glances' }
  /** A preview check has its answer. */
  | { topic: 'glance'; glanceId: string }
  /** Sent or planned alerts of a domain changed; `monitorId` null: those of the account or its channels. */
  | { topic: 'alerts'; accountId: string; monitorId: string | null }
  /** The account's plan, address or state changed. */
  | { topic: 'account'; accountId: string }
  | {
      topic: 'domain';
      accountId: string;
      monitorId: string;
      change: 'added' | 'checking' | 'checked' | 'changed' | 'removed';
    }
  /** One session ended, or all of the account (`sessionId` null). */
  | { topic: 'session_ended'; accountId: string; sessionId: string | null }
  /** Signals of other processes were lost, so data loaded before may be stale. Stays within its process. */
  | { topic: 'missed' };

export interface Signals {
  /** Calls the listeners of this process at once and those of other processes soon. Never throws. */
  publish(signal: Signal): void;
  /** Adds a listener and returns the function that removes it. */
  subscribe(listener: (signal: Signal) => void): () => void;
}

export function createLocalSignals(): Signals {
  const emitter = new EventEmitter();
  // Each open event stream adds a listener. Another limit bounds their number.
  emitter.setMaxListeners(0);
  return {
    publish: (signal) => void onNobodysBehalf(() => emitter.emit('signal', signal)),
    subscribe(listener) {
      emitter.on('signal', listener);
      return () => void emitter.off('signal', listener);
    },
  };
}
