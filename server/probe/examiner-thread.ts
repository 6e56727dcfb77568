import { deserialize, serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { Observation } from '../core/index.ts';
import { createAddressPolicy, createResolver } from '../egress/index.ts';
import { BoundedMap, WorkBudget } from '../pki/index.ts';
import type { Order, Report, ThreadData } from './examiner-messages.ts';
import { createExaminer, loadTrustStore } from './examiner.ts';
import { createProbe } from './probe.ts';
import { createSources } from './sources/create-sources.ts';
import type { Step } from './step.ts';

// A thread that looks and judges: what it does never keeps an HTTP request waiting.

/** Of looks that are still to be judged, at once as a rule: 20 kB of most, and up to some megabytes of hostile ones. */
const REMEMBERED_BYTES = 16 * 1024 * 1024;

type JudgeOrder = Extract<Order, { kind: 'judge' }>;

const data = workerData as ThreadData;
const { dnsServers, egressAllowCidrs, extraCaPem, cacheFolder, lookWork, mostWork } = data;
const working = new Int32Array(data.working);
const policy = createAddressPolicy([...egressAllowCidrs]);
const resolver = createResolver({ servers: [...dnsServers], policy });
const onTrouble = (error: unknown): void => report({ kind: 'trouble', error: asError(error) });
const sources = createSources({ resolver, policy, cacheFolder, onTrouble });
const now = (): number => Date.now();
const probe = createProbe({ resolver, policy, now, sources, onFault: onTrouble });
const examiner = createExaminer({ probe, trustStore: loadTrustStore(extraCaPem) });
const looks = new Map<number, AbortController>();
const observations = new BoundedMap<number, Observation>(REMEMBERED_BYTES);
/** Judged one per turn of the event loop, so that the sockets of other looks are served between two hostile chains. */
const waiting: JudgeOrder[] = [];

parentPort?.on('message', (order: Order) => {
  switch (order.kind) {
    case 'abort':
      return looks.get(order.id)?.abort();
    case 'observe':
      return settle(order, observe(order));
    default:
      waiting.push(order);
      if (waiting.length === 1) setImmediate(judgeNext);
  }
});

function settle({ id }: Order, done: Promise<void>): void {
  done.catch((error: unknown) => report({ kind: 'failed', id, error: asError(error) }));
}

function judgeNext(): void {
  const [order] = waiting;
  if (order === undefined) return;
  settle(order, judge(order));
  waiting.shift();
  if (waiting.length > 0) setImmediate(judgeNext);
}

async function observe(order: Extract<Order, { kind: 'observe' }>): Promise<void> {
  const { id, endpoint, authorities, withPosture, withSteps } = order;
  const stop = new AbortController();
  const steps: Step[] = [];
  const work = workOn(id);
  looks.set(id, stop);
  try {
    const options = {
      signal: stop.signal,
      authorities,
      withPosture,
      work,
      ...(withSteps && { onStep: (step: Step) => void steps.push(step) }),
    };
    const observation = await examiner.observe(endpoint, options);
    if (mostWork !== null && work.isExhausted) return report({ kind: 'exceeded', id });
    const packed = serialize(observation);
    observations.set(id, observation, packed.byteLength);
    report({ kind: 'observed', id, observation: packed, steps });
  } finally {
    looks.delete(id);
  }
}

async function judge(order: JudgeOrder): Promise<void> {
  const { id, observed, now: at, authorities, previous } = order;
  const work = workOn(id);
  work.spend(0);
  const observation =
    order.observation === null
      ? observations.get(observed ?? -1)
      : (deserialize(order.observation) as Observation);
  if (observation === null) return report({ kind: 'forgotten', id });
  const judgement = await examiner.judge({ observation, now: at, authorities, previous, work });
  if (mostWork !== null && work.isExhausted) return report({ kind: 'exceeded', id });
  report({ kind: 'judged', id, judgement, isCut: work.isExhausted });
}

/** Leaves word whose certificates are being worked on, for whoever has to end this thread. */
function workOn(id: number): WorkBudget {
  return new WorkBudget(mostWork ?? lookWork, () => void Atomics.store(working, 0, id));
}

function report(message: Report): void {
  parentPort?.postMessage(message);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

report({ kind: 'ready' });
