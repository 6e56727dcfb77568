import type { Sources } from './sources.ts';

/** Asks nobody. */
export const NO_SOURCES: Sources = {
  authorities: { complete: () => Promise.resolve({ authorities: [], isPending: false }) },
  revocation: { evidence: () => Promise.resolve([]) },
  renewal: { renewal: () => Promise.resolve(null) },
  domains: {
    caa: () => Promise.resolve({ outcome: 'unavailable' }),
    registration: ({ host }) => Promise.resolve({ outcome: 'unavailable', domain: host }),
  },
};
