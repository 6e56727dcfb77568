export { createApp } from './app.ts';
export type { AppOptions } from './app-options.ts';
export { derivedKey, unsubscribeKeys } from './derived-keys.ts';
export { createIdentityEvents } from './identity-events.ts';
export { refusePlainHttp } from './own-origin.ts';
export { createOperatorApp } from './operator-app.ts';
export { linkTestMode } from './test-mode-link.ts';
