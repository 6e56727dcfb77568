/** Values of `error` in `/signed-in?error=…` after a failed OpenID sign-in, each with the message to show. */
export const OIDC_FAILURES = {
  cancelled: 'The sign-in was cancelled.',
  expired: 'The sign-in took too long or was started in another window. Try again.',
  unavailable: 'The sign-in service is not responding. Try again in a moment.',
  email_missing:
    'This sign-in did not share an email address, which we need for alerts. Sign in another way.',
  email_not_verified:
    'The sign-in service has not verified your email address. Verify it there, or sign in another way.',
  signups_closed: 'There is no account for this address, and sign-up is closed.',
  invitation_needed:
    'Sign-up is by invitation only. Open the link in your invitation, and use the address that was invited.',
  failed: 'The sign-in failed. Try again.',
} as const;

export type OidcFailure = keyof typeof OIDC_FAILURES;
