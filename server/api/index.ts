export { createApp } from './app.ts';
export type { AppOptions } from './app-options.ts';
export { refusePlainHttp } from './own-origin.ts';
