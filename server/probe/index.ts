export { createProbe } from './probe.ts';
export type { Probe } from './probe.ts';
export { createIconSource } from './icon-source.ts';
export type { IconSource } from './icon-source.ts';
export { loadTrustStore } from './trust-anchors.ts';
