import { ApiError } from '../../../lib/api-error.ts';
import { SignInCancelled } from '../../../lib/account/identity.ts';

const CANCELLED = new Set([
  'auth/popup-closed-by-user',
  'auth/cancelled-popup-request',
  'auth/user-cancelled',
]);

const WRONG = 'Wrong email or password.';
const TAKEN = 'This address already has an account. Log in instead.';
const SILENT = 'The sign-in service is not responding. Check your connection and try again.';
const NOT_CONFIGURED = 'The sign-in service is not set up for this. Contact whoever runs this server.';

const SENTENCES: Record<string, string> = {
  'auth/invalid-credential': WRONG,
  'auth/invalid-login-credentials': WRONG,
  'auth/wrong-password': WRONG,
  'auth/user-not-found': WRONG,
  'auth/invalid-email': 'Invalid email address',
  'auth/email-already-in-use': TAKEN,
  'auth/account-exists-with-different-credential':
    'This address already has an account with another sign-in method.',
  'auth/weak-password': 'This password is too weak. Choose a longer one.',
  'auth/password-does-not-meet-requirements':
    'This password is too weak. Mix uppercase and lowercase letters, digits and symbols.',
  'auth/user-disabled': 'This account is disabled.',
  'auth/too-many-requests': 'Too many attempts. Wait a few minutes and try again.',
  'auth/network-request-failed': SILENT,
  'auth/timeout': SILENT,
  'auth/internal-error': SILENT,
  'auth/popup-blocked': 'The browser blocked the sign-in window. Allow popups for this page and try again.',
  'auth/web-storage-unsupported':
    'Your browser blocks storage for the sign-in window. Allow cookies and try again.',
  'auth/multi-factor-auth-required':
    'This account uses a second factor, which this page does not support yet.',
  'auth/requires-recent-login': 'Log in again to do this.',
  'auth/admin-restricted-operation': 'Sign-up is closed.',
  'auth/operation-not-allowed': NOT_CONFIGURED,
  'auth/unauthorized-domain': NOT_CONFIGURED,
  'auth/configuration-not-found': NOT_CONFIGURED,
  'auth/invalid-api-key': NOT_CONFIGURED,
  'auth/api-key-not-valid.-please-pass-a-valid-api-key.': NOT_CONFIGURED,
};

/** Returns Firebase's error code; empty for other errors. */
export function firebaseCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return typeof code === 'string' && code.startsWith('auth/') ? code : '';
}

/**
 * Maps a failure of Firebase's SDK to an error with a message for users. Errors about one field have the codes of the
 * built-in provider, so that forms show them at that field.
 */
export function refusalOf(error: unknown): Error {
  const code = firebaseCode(error);
  if (CANCELLED.has(code)) return new SignInCancelled();
  const sentence = SENTENCES[code] ?? (code && `The sign-in service reported an error (${code}).`);
  if (sentence === WRONG)
    return new ApiError(sentence, { status: 401, code: 'invalid_credentials', cause: error });
  if (sentence === TAKEN) return new ApiError(sentence, { status: 409, code: 'email_taken', cause: error });
  if (sentence) return new Error(sentence, { cause: error });
  return error instanceof Error ? error : new Error('The sign-in service failed.', { cause: error });
}
