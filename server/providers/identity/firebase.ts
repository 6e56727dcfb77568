import { createFirebaseDeletion } from './firebase-deletion.ts';
import { createFirebaseTokenJudge } from './firebase-token.ts';
import type { IdentityProvider } from './identity-provider.ts';

const GOOGLE = {
  keys: 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
  token: 'https://oauth2.googleapis.com/token',
  users: 'https://identitytoolkit.googleapis.com/',
};

export interface FirebaseIdentityOptions {
  config: {
    projectId: string;
    /** Origin of the emulator; null for the real service. */
    emulatorUrl: string | null;
    serviceAccount: { clientEmail: string; privateKey: string } | null;
  };
  log: { warn(context: object, message: string): void };
  /** Overrides Google's URLs, for tests. */
  endpoints?: Partial<typeof GOOGLE>;
  /** Instants are ms UTC. */
  now?: () => number;
}

/** Creates the Firebase provider. The page signs in with Firebase directly; the server verifies the ID tokens. */
export function createFirebaseIdentity(options: FirebaseIdentityOptions): IdentityProvider {
  const { config, log, now = Date.now } = options;
  const { projectId, emulatorUrl, serviceAccount } = config;
  const emulated = emulatorUrl !== null;
  const endpoints = { ...GOOGLE, ...options.endpoints };
  const users = emulated ? `${emulatorUrl}/identitytoolkit.googleapis.com/` : endpoints.users;

  return {
    kind: 'firebase',
    builtIn: null,
    handler: async () => new Response(null, { status: 404 }),
    verify: createFirebaseTokenJudge({ projectId, emulated, keysUrl: new URL(endpoints.keys), now, log }),
    // Firebase sessions exist only in the browser.
    endSession: async () => false,
    methods: async () => ({ password: false, totp: false, passkeys: [], oidc: [] }),
    deleteUser:
      serviceAccount === null
        ? async () => {}
        : createFirebaseDeletion({
            projectId,
            serviceAccount,
            emulated,
            endpoints: { token: new URL(endpoints.token), users: new URL(users) },
            now,
          }),
  };
}
