/** Thrown if the user closed the window or the browser's dialog. Pages show no error then. */
export class SignInCancelled extends Error {
  override readonly name = 'SignInCancelled';
}

/** The second step after the password, if the account has an authenticator app. */
export interface SecondStep {
  /** Submits a code of the app or a backup code. Throws with a message for the user if refused. */
  enter: (code: string, kind: 'app' | 'backup') => Promise<void>;
}

export interface NewIdentity {
  name: string;
  email: string;
  password: string;
  company: string;
  /** Whether the sign-up started from a trial button. */
  trial: boolean;
  /** The invitation code, if sign-up needs one. */
  invite: string | undefined;
}

export interface PopupOptions {
  invite?: string | undefined;
  trial?: boolean | undefined;
  /** Called when the window closes or becomes hidden; the answer may still come. */
  onClosed?: () => void;
  /** Aborting this signal ends the wait. */
  signal?: AbortSignal;
}

/** Proof of a sign-in with the provider, for the product's session. */
export interface SignInProof {
  /** The ID token. */
  token: string;
  email: string;
  /** The user's name; empty if the provider knows none. */
  name: string;
}

/**
 * The identity provider. Signing in with it is only the first half: the server then trades the result of `proveSignIn` for
 * the product's session. All methods throw an error with a message for the user, or SignInCancelled.
 */
export interface Identity {
  /** True if the provider stores that the user wants the trial, so that the server starts it together with the account. */
  keepsTrial: boolean;
  /** Signs in with a password. Resolves to the second step if the account has one, else to null. */
  signIn: (email: string, password: string) => Promise<SecondStep | null>;
  /**
   * Creates a user. Signs in like `signIn` if the user exists and the password is right, so that an interrupted sign-up can be
   * repeated.
   */
  signUp: (identity: NewIdentity) => Promise<SecondStep | null>;
  /** Signs in with another provider in a popup; call it in a click handler. `provider` is its id. */
  signInWith: (provider: string, options?: PopupOptions) => Promise<void>;
  /** Signs in with a passkey; null if the provider has no passkeys. */
  signInWithPasskey: (() => Promise<void>) | null;
  /** Returns the proof for the user who has just signed in. */
  proveSignIn: () => Promise<SignInProof>;
  /** Emails a link; succeeds whether or not the address has an account. */
  requestPasswordReset: (email: string) => Promise<void>;
  /** Ends the provider's session, not the product's. */
  signOut: () => Promise<void>;
  /**
   * Deletes the signed-in user at the provider, for providers whose users the server cannot delete. Succeeds if the user is
   * already deleted.
   */
  deleteUser: () => Promise<void>;
}
