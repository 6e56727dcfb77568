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
import type { Identity } from '../../../lib/identity.ts';
import { firebaseCode, refusalOf } from './firebase-refusal.ts';

type FirebaseConfig = Extract<PublicConfig['identity'], { provider: 'firebase' }>;

/** Runs work of the SDK; what it throws is said in our words. */
async function inOurWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error);
  }
}

/**
 * Firebase by its own SDK, timeouts and token refresh included. It remembers nobody beyond this page load, because the
 * product's own session is the authority on who is signed in.
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
    if (!auth.currentUser) throw new Error('Please sign in again.');
    return auth.currentUser;
  };

  return {
    signInWithPasskey: null,

    async signIn(email, password) {
      const { user } = await inOurWords(() => signInWithEmailAndPassword(auth, email, password));
      // The first mail may be lost, and only who has just signed in can ask for another one.
      if (!user.emailVerified)
        void sendEmailVerification(user).catch((error: unknown) =>
          console.warn('Firebase did not mail the link.', error),
        );
      return null;
    },

    async signUp({ name, email, password }) {
      const created = await inOurWords(async () => {
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
      // The account stands already: what fails from here on can be made up for later, and must not look like a refusal.
      const outcomes = await Promise.allSettled([
        updateProfile(user, { displayName: name }),
        sendEmailVerification(user),
      ]);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') console.warn('Firebase did not take it.', outcome.reason);
      return null;
    },

    async signInWith() {
      await inOurWords(() => signInWithPopup(auth, new GoogleAuthProvider()));
    },

    async vouch() {
      const user = currentUser();
      const token = await inOurWords(() => user.getIdToken());
      return { token, email: user.email ?? '', name: user.displayName ?? '' };
    },

    async requestPasswordReset(email) {
      try {
        await sendPasswordResetEmail(auth, email);
      } catch (error) {
        if (firebaseCode(error) !== 'auth/user-not-found') throw refusalOf(error);
      }
    },

    signOut: () => inOurWords(() => signOut(auth)),

    async deleteUser() {
      try {
        await deleteUser(currentUser());
      } catch (error) {
        // The server has deleted it with its own credentials.
        const isGone = ['auth/user-not-found', 'auth/user-token-expired'].includes(firebaseCode(error));
        if (!isGone) throw refusalOf(error);
      }
    },
  };
}
