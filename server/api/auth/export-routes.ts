import { CALLS } from '../../../contract/calls/calls.ts';
import { BUILT_IN } from '../../providers/identity/id-token.ts';
import type { IdentityProvider } from '../../providers/identity/identity-provider.ts';
import { listIdentities } from '../../store/accounts/accounts.ts';
import { EXPORT_LIMITS } from '../../store/monitors/domain-export.ts';
import { exportAccountData, exportProfile } from '../../store/accounts/export.ts';
import type { Store } from '../../store/db/open-store.ts';
import { onReplica } from '../../store/db/replica.ts';
import { listSessions } from '../../store/accounts/sessions.ts';
import type { Api, AppParts } from '../http/api.ts';
import { jsonDocument, respondWithFile } from '../http/download.ts';
import { targetOfRow } from '../alerts/channel-wire.ts';
import { browserName } from './browser-name.ts';

/** Streams the data stored about an account as one JSON file, up to `EXPORT_LIMITS` and without secrets. */
export function exportRoutes(api: Api, { store, identity }: AppParts): void {
  api.on(CALLS.exportData, async ({ c, session, now }) => {
    const { account } = session;
    const profile = await exportProfile(store, account.id);
    const open = await listSessions(store, account.id, now);
    const document = {
      about: {
        exported_at: now,
        limits: EXPORT_LIMITS,
        left_out:
          'Passwords, keys, tokens and mailed links. Certificates are public, so only their facts are included.',
      },
      profile,
      sign_in: await signInMethods(store, identity, account.id),
      sessions: open.map((each) => ({ ...each, browser: browserName(each.userAgent) })),
      ...exportAccountData(onReplica(store), account, { now, targetOf: targetOfRow }),
    };
    return respondWithFile(c, {
      contentType: 'application/json; charset=UTF-8',
      name: 'certlantern-export',
      extension: 'json',
      text: jsonDocument(document),
      now,
    });
  });
}

async function signInMethods(store: Store, identity: IdentityProvider, accountId: string) {
  const methods = [];
  for (const { issuer, subject } of await listIdentities(store, accountId))
    methods.push({
      provider: issuer,
      subject,
      ...(issuer === BUILT_IN && identity.kind === 'built-in' && (await identity.methods(subject))),
    });
  return methods;
}
