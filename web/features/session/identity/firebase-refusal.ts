import { SignInCancelled } from '../../../lib/identity.ts';

const CANCELLED = new Set([
  'auth/popup-closed-by-user',
  'auth/cancelled-popup-request',
  'auth/user-cancelled',
]);

const WRONG = 'Email or password is not right.';
const SILENT = 'The sign-in service does not answer. Check your connection and try again.';
const NOT_CONFIGURED = 'The sign-in service is not set up for this. Tell whoever runs this server.';

const SENTENCES: Record<string, string> = {
  'auth/invalid-credential': WRONG,
  'auth/invalid-login-credentials': WRONG,
  'auth/wrong-password': WRONG,
  'auth/user-not-found': WRONG,
  'auth/invalid-email': 'Invalid email address',
  'auth/email-already-in-use': 'This address already has an account. Log in instead.',
  'auth/account-exists-with-different-credential':
    'This address already has an account that signs in another way.',
  'auth/weak-password': 'This password is too weak. Choose a longer one.',
  'auth/password-does-not-meet-requirements':
    'This password is too weak. Mix capitals, small letters, figures and signs.',
  'auth/user-disabled': 'This account is disabled.',
  'auth/too-many-requests': 'Too many attempts. Wait a few minutes and try again.',
  'auth/network-request-failed': SILENT,
  'auth/timeout': SILENT,
  'auth/internal-error': SILENT,
  'auth/popup-blocked': 'The browser blocked the sign-in window. Allow popups for this page and try again.',
  'auth/web-storage-unsupported': 'Your browser keeps the sign-in window from storing anything.',
  'auth/multi-factor-auth-required':
    'This account asks for a second factor, which cannot be entered here yet.',
  'auth/requires-recent-login': 'Sign in again to do this.',
  'auth/admin-restricted-operation': 'New accounts cannot be created here.',
  'auth/operation-not-allowed': NOT_CONFIGURED,
  'auth/unauthorized-domain': NOT_CONFIGURED,
  'auth/configuration-not-found': NOT_CONFIGURED,
  'auth/invalid-api-key': NOT_CONFIGURED,
  'auth/api-key-not-valid.-please-pass-a-valid-api-key.': NOT_CONFIGURED,
};

/** The code that Firebase gave to a failure of its own; empty for any other. */
export function firebaseCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return typeof code === 'string' && code.startsWith('auth/') ? code : '';
}

/** What to throw, and with that to say, for a failure of Firebase's SDK. */
export function refusalOf(error: unknown): Error {
  const code = firebaseCode(error);
  if (CANCELLED.has(code)) return new SignInCancelled();
  const sentence = SENTENCES[code] ?? (code && `The sign-in service refused (${code}).`);
  if (sentence) return new Error(sentence, { cause: error });
  return error instanceof Error ? error : new Error('The sign-in service failed.', { cause: error });
}
