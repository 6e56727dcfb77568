import { deserialize, serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { Observation } from '../core/index.ts';
import { createAddressPolicy, createHostsFile, createResolver } from '../egress/index.ts';
import { LruCache, WorkBudget } from '../pki/index.ts';
import type { ThreadRequest, ThreadResponse, ThreadData } from './examiner-messages.ts';
import { createExaminer, loadTrustStore } from './examiner.ts';
import { createProbe, type Step } from './probe.ts';
import { createSources } from './sources/create-sources.ts';

// Worker thread that probes and judges, so that this CPU work never delays an HTTP request.

/**
 * Size limit of the cache for observations, which are usually judged at once. Each takes about 20 kB, or some
 * megabytes from hostile hosts.
 */
const OBSERVATION_CACHE_BYTES = 16 * 1024 * 1024;

type ThreadJudgeRequest = Extract<ThreadRequest, { kind: 'judge' }>;

const data = workerData as ThreadData;
const { dnsServers, egressAllowCidrs, hostsFile, ownNames, extraCaPem, cacheFolder, checkWork, maxWork } =
  data;
const working = new Int32Array(data.working);
const policy = createAddressPolicy([...egressAllowCidrs]);
const onTrouble = (error: unknown): void => report({ kind: 'trouble', error: asError(error) });
const resolver = createResolver({
  servers: [...dnsServers],
  policy,
  hostsFile: createHostsFile(hostsFile, onTrouble),
});
const sources = createSources({ resolver, policy, cacheFolder, onTrouble });
const now = (): number => Date.now();
const probe = createProbe({ resolver, policy, now, sources, ownNames, onFault: onTrouble });
const examiner = createExaminer({ probe, trustStore: loadTrustStore(extraCaPem) });
const runningProbes = new Map<number, AbortController>();
const observations = new LruCache<number, Observation>(OBSERVATION_CACHE_BYTES);
/**
 * Pending judgements. One is made per event loop iteration, so that the sockets of other probes are served between two hostile
 * chains.
 */
const judgeQueue: (() => void)[] = [];

parentPort?.on('message', (request: ThreadRequest) => {
  switch (request.kind) {
    case 'abort':
      return runningProbes.get(request.id)?.abort();
    case 'observe':
      return reportFailure(request, observe(request));
    default:
      return enqueue(() => reportFailure(request, judge(request)));
  }
});

function reportFailure({ id }: ThreadRequest, done: Promise<void>): void {
  done.catch((error: unknown) => report({ kind: 'failed', id, error: asError(error) }));
}

function enqueue(judgeOne: () => void): void {
  judgeQueue.push(judgeOne);
  if (judgeQueue.length === 1) setImmediate(judgeNext);
}

function judgeNext(): void {
  judgeQueue[0]?.();
  judgeQueue.shift();
  if (judgeQueue.length > 0) setImmediate(judgeNext);
}

async function observe(request: Extract<ThreadRequest, { kind: 'observe' }>): Promise<void> {
  const { id, endpoint, authorities, withPosture, postureParts, replies, isNew, withSteps } = request;
  const stop = new AbortController();
  const steps: Step[] = [];
  const work = createBudget(id);
  runningProbes.set(id, stop);
  try {
    const options = {
      signal: stop.signal,
      authorities,
      withPosture,
      ...(replies && { replies }),
      ...(isNew && { isNew }),
      ...(postureParts && { postureParts }),
      work,
      onSlow: () => report({ kind: 'slow', id }),
      ...(withSteps && { onStep: (step: Step) => void steps.push(step) }),
    };
    const observation = await examiner.observe(endpoint, options);
    if (maxWork !== null && work.isExhausted) return report({ kind: 'exceeded', id });
    const packed = serialize(observation);
    const observed = { kind: 'observed' as const, id, observation: packed, steps };
    const { previous } = request;
    if (previous === undefined) {
      observations.set(id, observation, packed.byteLength);
      return report({ ...observed, judgement: null, isCut: false });
    }
    await new Promise<void>((resolve) => enqueue(resolve));
    const budget = createBudget(id);
    budget.spend(0);
    const judgement = await examiner.judge({ observation, now: now(), authorities, previous, work: budget });
    if (maxWork !== null && budget.isExhausted) return report({ kind: 'exceeded', id });
    report({ ...observed, judgement, isCut: budget.isExhausted });
  } finally {
    runningProbes.delete(id);
  }
}

async function judge(request: ThreadJudgeRequest): Promise<void> {
  const { id, observed, now: at, authorities, previous } = request;
  const work = createBudget(id);
  work.spend(0);
  const observation =
    request.observation === null
      ? observations.get(observed ?? -1)
      : (deserialize(request.observation) as Observation);
  if (observation === null) return report({ kind: 'forgotten', id });
  const judgement = await examiner.judge({ observation, now: at, authorities, previous, work });
  if (maxWork !== null && work.isExhausted) return report({ kind: 'exceeded', id });
  report({ kind: 'judged', id, judgement, isCut: work.isExhausted });
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
