import type { CheckedEndpoint, PosturePart, Verdict } from '../core/index.ts';
import type { Judgement } from './examiner.ts';
import type { ObserveOptions, Step } from './probe.ts';
import type { OwnNames } from './starttls/ehlo-name.ts';

/** Settings of an examiner thread, as plain data. */
export interface ThreadSettings {
  dnsServers: readonly string[];
  egressAllowCidrs: readonly string[];
  /** Path of the file whose names win over DNS; null: none. */
  hostsFile: string | null;
  /** How to introduce ourselves to mail servers. */
  ownNames: OwnNames;
  /** PEM of the operator's own trust anchors; null if there are none. */
  extraCaPem: string | null;
  cacheFolder: string;
  /** Work budget for probing an endpoint, and again for each judgement, in units of `WorkBudget`. */
  checkWork: number;
}

export interface ThreadData extends ThreadSettings {
  /**
   * Work limit per request; requests that need more are `exceeded`. If null, `checkWork` is the limit, and the
   * verdict says if it ran out.
   */
  maxWork: number | null;
  /**
   * One Int32: the id of the request that spent work last; 0 for none. The main thread can read
   * it while this thread hangs.
   */
  working: SharedArrayBuffer;
}

/**
 * Messages to the thread. Responses repeat the `id`. `observed` is the id of the request that produced the observation.
 */
export type ThreadRequest =
  | {
      kind: 'observe';
      id: number;
      endpoint: CheckedEndpoint;
      authorities: readonly Uint8Array[];
      withPosture: boolean;
      replies?: ObserveOptions['replies'];
      isNew?: boolean;
      postureParts?: readonly PosturePart[];
      /** The previous verdict if the observation is to be judged at once; absent if not. */
      previous?: Verdict | null;
      /** True if the caller wants the timings of the phases. */
      withSteps: boolean;
    }
  | { kind: 'abort'; id: number }
  | {
      kind: 'judge';
      id: number;
      observed: number | null;
      /** Serialized with node:v8; null if the thread probably still caches the observation. */
      observation: Uint8Array | null;
      now: number;
      authorities: readonly Uint8Array[];
      previous: Verdict | null;
    };

/** Messages from the thread. */
export type ThreadResponse =
  /** The thread has started and accepts requests. */
  | { kind: 'ready' }
  /** The dialogue before TLS is slow, so the observation may take long. */
  | { kind: 'slow'; id: number }
  /** `observation`: serialized with node:v8. `judgement`: null if it was not asked for. */
  | {
      kind: 'observed';
      id: number;
      observation: Uint8Array;
      steps: Step[];
      judgement: Judgement | null;
      isCut: boolean;
    }
  /** `isCut`: true if the work budget ran out, which the verdict also says. */
  | { kind: 'judged'; id: number; judgement: Judgement; isCut: boolean }
  /** The examination needs more work than this thread may do. */
  | { kind: 'exceeded'; id: number }
  /** The observation is no longer cached: repeat the request and include it. */
  | { kind: 'forgotten'; id: number }
  | { kind: 'failed'; id: number; error: Error }
  /** The disk cache failed, or a source has a bug. */
  | { kind: 'trouble'; error: Error };
