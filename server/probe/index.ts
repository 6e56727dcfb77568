export { createSources } from './create-sources.ts';
export type { OpenSources, SourcesOptions } from './create-sources.ts';
export { NO_SOURCES } from './no-sources.ts';
export { createProbe } from './probe.ts';
export type { Probe } from './probe.ts';
export { createIconSource } from './icon-source.ts';
export type { IconSource } from './icon-source.ts';
export type { Sources } from './sources.ts';
export { loadTrustStore } from './trust-anchors.ts';
