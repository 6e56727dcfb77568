import type { PublicConfig } from '../../contract/public-config.ts';

/** What of an operator's settings the page needs; the secrets beside them stay here. */
export interface Settings {
  firebase: {
    projectId: string;
    apiKey: string;
    authDomain: string;
    emulatorUrl: string | null;
  } | null;
  oidc: readonly { id: string; name: string }[];
  billing: { mode: 'none' | 'unset' | 'test' } | { mode: 'paddle'; clientToken: string };
}

export function publicIdentity({ firebase, oidc }: Settings): PublicConfig['identity'] {
  if (firebase === null) return { provider: 'built-in', oidc: oidc.map(({ id, name }) => ({ id, name })) };
  return {
    provider: 'firebase',
    api_key: firebase.apiKey,
    auth_domain: firebase.authDomain,
    project_id: firebase.projectId,
    emulator_url: firebase.emulatorUrl,
  };
}

export function publicBilling({ billing }: Settings): PublicConfig['billing'] {
  return billing.mode === 'paddle'
    ? { mode: 'paddle', client_token: billing.clientToken }
    : { mode: billing.mode };
}
