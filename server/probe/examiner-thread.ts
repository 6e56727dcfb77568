import { deserialize, serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { Observation } from '../core/observation.ts';
import type { Verdict } from '../core/verdict.ts';
import { createAddressPolicy } from '../egress/address-policy.ts';
import { createDnsReader } from '../egress/dns/dns-reader.ts';
import { createHostsFile } from '../egress/hosts-file.ts';
import { createResolver } from '../egress/resolver.ts';
import { WorkBudget } from '../pki/work-budget.ts';
import type { ThreadData, ThreadMessage, ThreadRequest, ThreadResponse } from './examiner-messages.ts';
import { createStages, type JudgeRequest, loadTrustStore } from './examiner.ts';
import { type JudgedObservation, tryOwnClientFirst } from './first-look.ts';
import { createProbe, runTimed, type Step } from './probe.ts';
import { createSources } from './sources/create-sources.ts';

// Worker thread that probes and judges, so that this CPU work never delays an HTTP request.

const data = workerData as ThreadData;
const { dnsServers, egressAllowCidrs, hostsFile, ownNames, extraCaPem, cacheFolder } = data;
const { checkWork, maxWork } = data;
let { logLists } = data;
const working = new Int32Array(data.working);
const policy = createAddressPolicy([...egressAllowCidrs]);
const onTrouble = (error: unknown): void => report({ kind: 'trouble', error: asError(error) });
const resolver = createResolver({
  servers: [...dnsServers],
  policy,
  hostsFile: createHostsFile(hostsFile, onTrouble),
});
const now = (): number => Date.now();
const reader = createDnsReader({ servers: dnsServers, now });
const sources = createSources({ resolver, reader, policy, cacheFolder, onTrouble });
const probe = createProbe({ resolver, policy, now, sources, ownNames, onFault: onTrouble });
const trustStore = loadTrustStore(extraCaPem);
const stages = createStages({ probe, trustStore, logLists: () => logLists });
const runningProbes = new Map<number, AbortController>();
/**
 * Judgements that wait for their turn. One is made per event loop iteration, so that the sockets of other probes are served between
 * two hostile chains.
 */
const turns: (() => void)[] = [];

parentPort?.on('message', (request: ThreadMessage) => {
  switch (request.kind) {
    case 'abort':
      return runningProbes.get(request.id)?.abort();
    case 'log_lists':
      logLists = request.logLists;
      return;
    case 'examine':
      return reportFailure(request, examine(request));
    default:
      return reportFailure(request, judgeAgain(request));
  }
});

/** Error for a request that needs more work than this thread may do. */
class WorkExceeded extends Error {}

function reportFailure({ id }: ThreadRequest, done: Promise<void>): void {
  done.catch((error: unknown) =>
    report(
      error instanceof WorkExceeded
        ? { kind: 'exceeded', id }
        : { kind: 'failed', id, error: asError(error) },
    ),
  );
}

function turn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  turns.push(resolve);
  if (turns.length === 1) setImmediate(nextTurn);
  return promise;
}

function nextTurn(): void {
  turns.shift()?.();
  if (turns.length > 0) setImmediate(nextTurn);
}

async function examine(request: Extract<ThreadRequest, { kind: 'examine' }>): Promise<void> {
  const { id, endpoint, withSteps } = request;
  const { previous, ...options } = request.options;
  const stop = new AbortController();
  const steps: Step[] = [];
  const onStep = withSteps ? (step: Step) => void steps.push(step) : undefined;
  runningProbes.set(id, stop);
  try {
    const asked = {
      ...options,
      signal: stop.signal,
      onSlow: () => report({ kind: 'slow', id }),
      ...(onStep && { onStep }),
    };
    const judged = async (observation: Observation): Promise<JudgedObservation> => {
      const toJudge = { observation, now: now(), authorities: options.authorities };
      const verdicts = await runTimed('judge', onStep, async () => {
        const made: Verdict[] = [];
        for (const one of previous) {
          await turn();
          made.push(judge(id, { ...toJudge, previous: one }));
        }
        return made;
      });
      return { observation, verdicts };
    };
    const { observation, verdicts } = await tryOwnClientFirst(request.options, {
      async withOwnClient() {
        // The second thread uses OpenSSL only: its time limit is too short for a probe with each client.
        if (maxWork === null) return null;
        const work = createBudget(id);
        const trustStore = stages.trustStoreFor(options.authorities);
        const seen = await probe.observeWithOwnClient(endpoint, { ...asked, work, trustStore });
        return seen === null || work.isExhausted ? null : judged(seen);
      },
      async withOpenssl() {
        const work = createBudget(id);
        const seen = await stages.observe(endpoint, asked, work);
        requireWork(work);
        return judged(seen);
      },
      onDifference: (detail) => report({ kind: 'difference', detail }),
    });
    const certificates = stages.certificatesSeen(observation, new WorkBudget(maxWork ?? checkWork));
    report({ kind: 'examined', id, observation: serialize(observation), verdicts, certificates, steps });
  } finally {
    runningProbes.delete(id);
  }
}

async function judgeAgain({
  id,
  observation,
  ...request
}: Extract<ThreadRequest, { kind: 'judge' }>): Promise<void> {
  await turn();
  const verdict = judge(id, { ...request, observation: deserialize(observation) as Observation });
  report({ kind: 'judged', id, verdict });
}

function judge(id: number, request: JudgeRequest): Verdict {
  const work = createBudget(id);
  // Records that this request is in progress even if judging it spends nothing.
  work.spend(0);
  const verdict = stages.judge(request, work);
  requireWork(work);
  if (work.isExhausted) report({ kind: 'cut' });
  return verdict;
}

/** @throws WorkExceeded if the budget is exhausted and the request can move to a thread with a larger budget */
function requireWork(work: WorkBudget): void {
  if (maxWork !== null && work.isExhausted) throw new WorkExceeded();
}

/** Creates a budget that records the request in progress, in case the main thread must terminate this thread. */
function createBudget(id: number): WorkBudget {
  return new WorkBudget(maxWork ?? checkWork, () => void Atomics.store(working, 0, id));
}

function report(message: ThreadResponse): void {
  parentPort?.postMessage(message);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

report({ kind: 'ready' });
