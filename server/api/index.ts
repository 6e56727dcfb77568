export { createApp } from './app.ts';
export type { AppOptions } from './app-options.ts';
