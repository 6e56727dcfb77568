import type { Verdict } from '../core/index.ts';
import type { Judgement } from './examiner.ts';
import type { Step } from './step.ts';
import type { Protocol } from '../../contract/words.ts';

/** What a thread of the examiner is made from: plain data. */
export interface ThreadSettings {
  dnsServers: readonly string[];
  egressAllowCidrs: readonly string[];
  /** The operator's own anchors. */
  extraCaPem: string | null;
  cacheFolder: string;
  /** What the certificates of one look may cost, in units of `WorkBudget`. */
  lookWork: number;
}

export interface ThreadData extends ThreadSettings {
  /** What one look may cost here; what takes more is `exceeded`. null: `lookWork`, and a verdict says where it is not enough. */
  mostWork: number | null;
  /** One Int32: the id of the order whose certificates are being worked on, 0 for none. It can be read while the thread hangs. */
  working: SharedArrayBuffer;
}

/** To the thread. `id` tells the answers apart; `observed` is the id of the look that an observation came from. */
export type Order =
  | {
      kind: 'observe';
      id: number;
      endpoint: { host: string; port: number; protocol: Protocol };
      authorities: readonly Uint8Array[];
      withPosture: boolean;
      /** Whether somebody asks where the time went. */
      withSteps: boolean;
    }
  | { kind: 'abort'; id: number }
  | {
      kind: 'judge';
      id: number;
      observed: number | null;
      /** Written by `serialize` of node:v8; null where the thread may still have it. */
      observation: Uint8Array | null;
      now: number;
      authorities: readonly Uint8Array[];
      previous: Verdict | null;
    };

/** From the thread. */
export type Report =
  /** It has started, and takes orders from now on. */
  | { kind: 'ready' }
  /** `observation`: written by `serialize` of node:v8. */
  | { kind: 'observed'; id: number; observation: Uint8Array; steps: Step[] }
  /** `isCut`: the work of one look did not suffice, as the verdict says. */
  | { kind: 'judged'; id: number; judgement: Judgement; isCut: boolean }
  /** The examination takes more work than this thread may do. */
  | { kind: 'exceeded'; id: number }
  /** The observation is not there any more: ask again, with it. */
  | { kind: 'forgotten'; id: number }
  | { kind: 'failed'; id: number; error: Error }
  /** What CAs said could not be kept for later, or a source has a bug. */
  | { kind: 'trouble'; error: Error };
