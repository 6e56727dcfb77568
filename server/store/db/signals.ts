import { EventEmitter } from 'node:events';
import { onNobodysBehalf } from './caller.ts';

/** A hint that something in the database may interest others. Hints get lost: whoever listens also polls. */
export type Signal =
  | { topic: 'due' }
  | { topic: 'deliveries' }
  | { topic: 'mails' }
  /** Somebody without an account waits for a look. */
  | { topic: 'glances' }
  /** That look is answered. */
  | { topic: 'glance'; glanceId: string }
  /** What was or will be told of a domain changed; `monitorId` null: of the account, or of its channels. */
  | { topic: 'alerts'; accountId: string; monitorId: string | null }
  /** The plan, the address or the state of the account changed. */
  | { topic: 'account'; accountId: string }
  | {
      topic: 'domain';
      accountId: string;
      monitorId: string;
      change: 'added' | 'checking' | 'checked' | 'changed' | 'removed';
    }
  /** `sessionId` null: every session of the account. */
  | { topic: 'session_ended'; accountId: string; sessionId: string | null }
  /** Those of other processes were lost for a while: what was heard of them may be old. Never leaves its process. */
  | { topic: 'missed' };

export interface Signals {
  /** Reaches the listeners of this process at once, those of others soon; never throws. */
  publish(signal: Signal): void;
  /** Returns the function that unsubscribes. */
  subscribe(listener: (signal: Signal) => void): () => void;
}

export function createLocalSignals(): Signals {
  const emitter = new EventEmitter();
  // One listener per open event stream: their number is bounded elsewhere.
  emitter.setMaxListeners(0);
  return {
    publish: (signal) => void onNobodysBehalf(() => emitter.emit('signal', signal)),
    subscribe(listener) {
      emitter.on('signal', listener);
      return () => void emitter.off('signal', listener);
    },
  };
}
