import { createStages, type Examiner, type StageDependencies } from '../../../server/probe/examiner.ts';
import type { Sources } from '../../../server/probe/sources/sources.ts';
import type { OwnNetwork } from '../../../server/worker/own-network.ts';

/** CA sources that send no requests. */
export const NO_SOURCES: Sources = {
  intermediates: { complete: () => Promise.resolve({ intermediates: [], isPending: false }) },
  revocation: { evidence: () => Promise.resolve([]) },
  renewal: { renewal: () => Promise.resolve(null) },
  domains: {
    caa: () => Promise.resolve({ outcome: 'unavailable' }),
    registration: ({ host }) => Promise.resolve({ outcome: 'unavailable', domain: host }),
  },
};

/** An observer of our own network that never doubts a check. */
export const TRUST_EVERY_CHECK: OwnNetwork = {
  trusts: () => Promise.resolve(true),
  clockIsRight: () => Promise.resolve(true),
  clearPastAlarms: () => Promise.resolve(),
  close: () => undefined,
};

/** Creates an examiner that works in the calling thread. `now` returns ms UTC. */
export function createExaminer({ now, ...options }: StageDependencies & { now: () => number }): Examiner {
  const stages = createStages(options);
  return {
    async examine(endpoint, { previous, ...asked }) {
      const observation = await stages.observe(endpoint, asked);
      const request = { observation, now: now(), authorities: asked.authorities };
      return {
        observation,
        verdicts: previous.map((one) => stages.judge({ ...request, previous: one })),
        certificates: stages.certificatesSeen(observation),
      };
    },
    judge: (request) => Promise.resolve(stages.judge(request)),
  };
}
