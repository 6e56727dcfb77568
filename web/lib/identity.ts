/** The person closed the window or the browser's own dialog: nothing happened, and there is nothing to say. */
export class SignInCancelled extends Error {
  override readonly name = 'SignInCancelled';
}

/** What a right password still needs where the account has an authenticator app. */
export interface SecondStep {
  /** A code of the app, or one of the backup codes. Throws with a sentence to show when it is refused. */
  enter: (code: string, kind: 'app' | 'backup') => Promise<void>;
}

export interface NewIdentity {
  name: string;
  email: string;
  password: string;
  company: string;
  /** From a button that offers the trial. */
  trial: boolean;
  /** The code of an invitation, where sign-up is by invitation. */
  invite: string | undefined;
}

export interface PopupOptions {
  invite?: string | undefined;
  trial?: boolean | undefined;
  /** The window was closed, or went out of sight; the answer may come all the same. */
  onClosed?: () => void;
  /** Nobody waits any longer. */
  signal?: AbortSignal;
}

/** Who has signed in with the provider, for the product's own session. */
export interface Vouched {
  /** The ID token. */
  token: string;
  email: string;
  /** Empty where the provider knows none. */
  name: string;
}

/**
 * The identity provider as the page uses it. Signing in here is only the first half: `vouch` gives what the server trades
 * for the product's session. Everything throws with a sentence to show, or SignInCancelled.
 */
export interface Identity {
  /** Returns null when signed in. */
  signIn: (email: string, password: string) => Promise<SecondStep | null>;
  /**
   * Creates a user, or continues an earlier attempt: whoever gives the password of the user that has the address is signed in, as by
   * `signIn`.
   */
  signUp: (identity: NewIdentity) => Promise<SecondStep | null>;
  /** With another provider, in a popup: call it from a click. `provider` is its id. */
  signInWith: (provider: string, options?: PopupOptions) => Promise<void>;
  /** Null where the provider has no passkeys. */
  signInWithPasskey: (() => Promise<void>) | null;
  /** Of whoever has just signed in. */
  vouch: () => Promise<Vouched>;
  /** Mails a link; succeeds whether or not the address has an account. */
  requestPasswordReset: (email: string) => Promise<void>;
  /** Ends the provider's own session; the product's session is another. */
  signOut: () => Promise<void>;
  /** Deletes who has just signed in where the server cannot do it. Fine if already gone. */
  deleteUser: () => Promise<void>;
}
