export { createApp } from './app.ts';
export type { AppOptions } from './app-options.ts';
export { derivedKey, unsubscribeKeys } from './auth/derived-keys.ts';
export { createIdentityEvents } from './auth/identity-events.ts';
export { refusePlainHttp } from './http/own-origin.ts';
export { createOperatorApp } from './operator-app.ts';
export { linkTestMode } from './billing/payment-webhook.ts';
