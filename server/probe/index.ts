export { createSources } from './sources/create-sources.ts';
export type { OpenSources, SourcesOptions } from './sources/create-sources.ts';
export { NO_SOURCES } from './sources/no-sources.ts';
export { createProbe } from './probe.ts';
export type { Probe } from './probe.ts';
export { createIconSource } from './icons/icon-source.ts';
export type { IconSource } from './icons/icon-source.ts';
export type { Sources } from './sources/sources.ts';
export { loadTrustStore } from './trust-anchors.ts';
