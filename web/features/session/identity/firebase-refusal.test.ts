import { describe, expect, it } from 'vitest';
import { SignInCancelled } from '../../../lib/account/identity.ts';
import { refusalOf } from './firebase-refusal.ts';

const refused = (code: string) => refusalOf(Object.assign(new Error(`Firebase: Error (${code}).`), { code }));

describe('refusalOf', () => {
  it.each([
    ['auth/invalid-credential', 'Wrong email or password.'],
    ['auth/user-not-found', 'Wrong email or password.'],
    ['auth/email-already-in-use', 'This address already has an account. Log in instead.'],
    ['auth/too-many-requests', 'Too many attempts. Wait a few minutes and try again.'],
    [
      'auth/network-request-failed',
      'The sign-in service is not responding. Check your connection and try again.',
    ],
    [
      'auth/popup-blocked',
      'The browser blocked the sign-in window. Allow popups for this page and try again.',
    ],
    ['auth/brand-new', 'The sign-in service reported an error (auth/brand-new).'],
  ])('maps the Firebase error %s to the message “%s”', (code, sentence) => {
    expect(refused(code).message).toBe(sentence);
  });

  it.each([
    ['auth/wrong-password', 'invalid_credentials'],
    ['auth/email-already-in-use', 'email_taken'],
  ])('gives the Firebase error %s the code %s of the built-in provider', (code, ours) => {
    expect(refused(code)).toMatchObject({ name: 'ApiError', code: ours });
  });

  it.each(['auth/popup-closed-by-user', 'auth/cancelled-popup-request', 'auth/user-cancelled'])(
    'treats the Firebase error %s as a cancelled sign-in',
    (code) => {
      expect(refused(code)).toBeInstanceOf(SignInCancelled);
    },
  );

  it('leaves other errors unchanged', () => {
    const bug = new TypeError('undefined is not a function');
    expect(refusalOf(bug)).toBe(bug);
    expect(refusalOf('odd').message).toBe('The sign-in service failed.');
  });
});
