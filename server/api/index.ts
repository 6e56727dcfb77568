export { createApp } from './app.ts';
export type { AppOptions } from './app-options.ts';
export { createIdentityEvents } from './auth/identity-events.ts';
export { refusePlainHttp } from './http/own-origin.ts';
export { linkTestMode } from './billing/payment-webhook.ts';
export { createConnectionLimit } from './http/open-connections.ts';
