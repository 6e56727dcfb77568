import { initializeApp } from 'firebase/app';
import {
  browserPopupRedirectResolver,
  connectAuthEmulator,
  createUserWithEmailAndPassword,
  deleteUser,
  GoogleAuthProvider,
  initializeAuth,
  inMemoryPersistence,
  sendEmailVerification,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  signInWithPopup,
  signOut,
  updateProfile,
} from 'firebase/auth';
import type { PublicConfig } from '../../../../contract/public-config.ts';
import type { Identity } from '../../../lib/account/identity.ts';
import { firebaseCode, refusalOf } from './firebase-refusal.ts';

type FirebaseConfig = Extract<PublicConfig['identity'], { provider: 'firebase' }>;

/** Runs SDK work and maps its errors to our messages. */
async function withOurErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error);
  }
}

/**
 * Signs in through Firebase's SDK, including its timeouts and token refresh. Keeps nothing across page loads, because the
 * product's own session decides who is signed in.
 */
export function createFirebaseIdentity(config: FirebaseConfig): Identity {
  const app = initializeApp({
    apiKey: config.api_key,
    authDomain: config.auth_domain,
    projectId: config.project_id,
  });
  const auth = initializeAuth(app, {
    persistence: inMemoryPersistence,
    popupRedirectResolver: browserPopupRedirectResolver,
  });
  if (config.emulator_url !== null) connectAuthEmulator(auth, config.emulator_url, { disableWarnings: true });

  const currentUser = () => {
    if (!auth.currentUser) throw new Error('Please log in again.');
    return auth.currentUser;
  };

  return {
    keepsTrial: false,

    signInWithPasskey: null,

    async signIn(email, password) {
      const { user } = await withOurErrors(() => signInWithEmailAndPassword(auth, email, password));
      // Send the verification email at every sign-in of an unverified user: the first email may be lost, and only a user who
      // has just signed in can request another.
      if (!user.emailVerified)
        void sendEmailVerification(user).catch((error: unknown) =>
          console.warn('Firebase did not send the link.', error),
        );
      return null;
    },

    async signUp({ name, email, password }) {
      const created = await withOurErrors(async () => {
        try {
          return await createUserWithEmailAndPassword(auth, email, password);
        } catch (error) {
          if (firebaseCode(error) !== 'auth/email-already-in-use') throw error;
          await signInWithEmailAndPassword(auth, email, password).catch(() => Promise.reject(error));
          return null;
        }
      });
      if (created === null) return null;
      const { user } = created;
      // The account exists now, so a failure of these steps must not look like a refused sign-up. They can be repeated later.
      const outcomes = await Promise.allSettled([
        updateProfile(user, { displayName: name }),
        sendEmailVerification(user),
      ]);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          console.warn('Firebase did not accept the change.', outcome.reason);
      return null;
    },

    async signInWith() {
      await withOurErrors(() => signInWithPopup(auth, new GoogleAuthProvider()));
    },

    async proveSignIn() {
      const user = currentUser();
      const token = await withOurErrors(() => user.getIdToken());
      return { token, email: user.email ?? '', name: user.displayName ?? '' };
    },

    async requestPasswordReset(email) {
      try {
        await sendPasswordResetEmail(auth, email);
      } catch (error) {
        if (firebaseCode(error) !== 'auth/user-not-found') throw refusalOf(error);
      }
    },

    signOut: () => withOurErrors(() => signOut(auth)),

    async deleteUser() {
      try {
        await deleteUser(currentUser());
      } catch (error) {
        // The server has already deleted the user.
        const isGone = ['auth/user-not-found', 'auth/user-token-expired'].includes(firebaseCode(error));
        if (!isGone) throw refusalOf(error);
      }
    },
  };
}
