import { deserialize, serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';

import type { Observation } from '../core/index.ts';
import { createAddressPolicy, createResolver } from '../egress/index.ts';
import type { Order, Report, ThreadSettings } from './examiner-messages.ts';
import { createExaminer } from './examiner.ts';
import { createProbe } from './probe.ts';
import { createSources } from './sources/create-sources.ts';
import type { Step } from './step.ts';
import { loadTrustStore } from './trust-anchors.ts';

// The thread that looks and judges: what it does never keeps an HTTP request waiting.

/** Of looks that are still to be judged, at once as a rule: 20 kB of most, and up to some megabytes of hostile ones. */
const REMEMBERED_BYTES = 16 * 1024 * 1024;

const { dnsServers, egressAllowCidrs, extraCaPem, cacheFolder } = workerData as ThreadSettings;
const policy = createAddressPolicy([...egressAllowCidrs]);
const resolver = createResolver({ servers: [...dnsServers], policy });
const onTrouble = (error: unknown): void => report({ kind: 'trouble', error: asError(error) });
const sources = createSources({ resolver, policy, cacheFolder, onTrouble });
const now = (): number => Date.now();
const probe = createProbe({ resolver, policy, now, sources, onFault: onTrouble });
const examiner = createExaminer({ probe, trustStore: loadTrustStore(extraCaPem) });
const looks = new Map<number, AbortController>();
const observations = new Map<number, { observation: Observation; bytes: number }>();
let rememberedBytes = 0;

parentPort?.on('message', (order: Order) => {
  if (order.kind === 'abort') return looks.get(order.id)?.abort();
  const done = order.kind === 'observe' ? observe(order) : judge(order);
  done.catch((error: unknown) => report({ kind: 'failed', id: order.id, error: asError(error) }));
});

async function observe(order: Extract<Order, { kind: 'observe' }>): Promise<void> {
  const { id, endpoint, authorities, withPosture, withSteps } = order;
  const stop = new AbortController();
  const steps: Step[] = [];
  looks.set(id, stop);
  try {
    const options = {
      ...{ signal: stop.signal, authorities, withPosture },
      ...(withSteps && { onStep: (step: Step) => void steps.push(step) }),
    };
    const observation = await examiner.observe(endpoint, options);
    const packed = serialize(observation);
    remember(id, observation, packed.byteLength);
    report({ kind: 'observed', id, observation: packed, steps });
  } finally {
    looks.delete(id);
  }
}

async function judge(order: Extract<Order, { kind: 'judge' }>): Promise<void> {
  const { id, observed, now: at, authorities, previous } = order;
  const observation =
    order.observation === null
      ? observations.get(observed ?? -1)?.observation
      : (deserialize(order.observation) as Observation);
  if (observation === undefined) return report({ kind: 'forgotten', id });
  const judgement = await examiner.judge({ observation, now: at, authorities, previous });
  report({ kind: 'judged', id, judgement });
}

function remember(id: number, observation: Observation, bytes: number): void {
  observations.set(id, { observation, bytes });
  rememberedBytes += bytes;
  for (const [oldest, known] of observations) {
    if (rememberedBytes <= REMEMBERED_BYTES) return;
    observations.delete(oldest);
    rememberedBytes -= known.bytes;
  }
}

function report(message: Report): void {
  parentPort?.postMessage(message);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
