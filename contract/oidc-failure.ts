/** Values of `error` in `/signed-in?error=…` after a failed OpenID sign-in, each with the message to show. */
export const OIDC_FAILURES = {
  cancelled: 'The sign-in was cancelled.',
  expired: 'The sign-in took too long, or was begun in another window. Please try again.',
  unavailable:
    'The sign-in service does not answer. Try again in a moment; whoever is signed in stays signed in.',
  email_missing:
    'This sign-in comes without an email address, which alerts need. Please sign in another way.',
  email_not_verified:
    'The sign-in service has not verified your email address. Verify it there, or sign in another way.',
  signups_closed: 'This address has no account here, and new ones cannot be created.',
  invitation_needed: 'Sign-up is by invitation. Use the link in your invitation, with its address.',
  failed: 'The sign-in did not work. Please try again.',
} as const;

export type OidcFailure = keyof typeof OIDC_FAILURES;
