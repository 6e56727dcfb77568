export { createProbe } from './probe.ts';
export type { Probe } from './probe.ts';
export { loadTrustStore } from './trust-anchors.ts';
