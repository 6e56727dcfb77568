import type { LogLists } from '../core/judge/transparency.ts';
import type { CheckedEndpoint } from '../core/target.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Examination, ExamineOptions, JudgeRequest } from './examiner.ts';
import type { Step } from './probe.ts';
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
  /** The lists of Certificate Transparency logs when the thread starts. The message `log_lists` replaces them. */
  logLists: LogLists;
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

/** Messages to the thread. `log_lists`: lists for later judgements, without a response. */
export type ThreadMessage = ThreadRequest | { kind: 'log_lists'; logLists: LogLists };

/** Requests to the thread. Responses repeat the `id`. */
export type ThreadRequest =
  | {
      kind: 'examine';
      id: number;
      endpoint: CheckedEndpoint;
      options: Omit<ExamineOptions, 'signal' | 'onSlow' | 'onStep'>;
      /** True if the caller wants the timings of the phases. */
      withSteps: boolean;
    }
  | { kind: 'abort'; id: number }
  /** `observation`: serialized with node:v8. */
  | (Omit<JudgeRequest, 'observation'> & { kind: 'judge'; id: number; observation: Uint8Array });

/** Messages from the thread. */
export type ThreadResponse =
  /** The thread has started and accepts requests. */
  | { kind: 'ready' }
  /** The dialogue before TLS is slow, so the examination may take long. */
  | { kind: 'slow'; id: number }
  /** `observation`: serialized with node:v8. */
  | (Omit<Examination, 'observation'> & {
      kind: 'examined';
      id: number;
      observation: Uint8Array;
      steps: Step[];
    })
  | { kind: 'judged'; id: number; verdict: Verdict }
  /** OpenSSL saw a host in another way than our own TLS client, several times in a row. `detail`: one sentence. */
  | { kind: 'difference'; detail: string }
  /** The work budget of a verdict ran out. The verdict says so too. */
  | { kind: 'cut' }
  /** The request needs more work than this thread may do. */
  | { kind: 'exceeded'; id: number }
  | { kind: 'failed'; id: number; error: Error }
  /** The disk cache failed, or a source has a bug. */
  | { kind: 'trouble'; error: Error };
