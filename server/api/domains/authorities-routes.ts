import { type AuthorityWire, MAX_AUTHORITIES } from '../../../contract/authority.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import { readAuthorities } from '../../core/pasted-certificates.ts';
import {
  addAuthorities,
  listAuthorities,
  removeAuthority,
  type TrustedAuthority,
} from '../../store/accounts/authorities.ts';
import type { Api, AppParts } from '../http/api.ts';
import { refuse } from '../http/problem.ts';
import { iso } from './domain-wire.ts';

/** Manages the private certificate authorities that an account trusts. A change triggers checks of the account's domains. */
export function authorityRoutes(api: Api, { store, limits }: AppParts): void {
  api.on(CALLS.listAuthorities, async ({ session }) => ({
    data: (await listAuthorities(store.db, session.account.id)).map(authorityWire),
  }));

  api.on(CALLS.addAuthorities, async ({ body, session, idempotency, now }) => {
    const accountId = session.account.id;
    const read = readAuthorities(body.pem);
    if (!read.ok) return refuse('invalid_certificate', read.message);
    const { authorities } = read;
    const answerOf = (trusted: readonly TrustedAuthority[]) => ({ data: trusted.map(authorityWire) });
    const trusted = await addAuthorities(store, {
      accountId,
      authorities,
      max: MAX_AUTHORITIES,
      now,
      alsoWrite: (trx, all) => idempotency.storeAnswer(trx, answerOf(all)),
    });
    return trusted === 'too_many'
      ? refuse('too_many_authorities', `An account can trust up to ${MAX_AUTHORITIES} private authorities.`)
      : answerOf(trusted);
  });

  api.on(CALLS.removeAuthority, async ({ params, session, now }) => {
    const accountId = session.account.id;
    const owned = (await listAuthorities(store.db, accountId)).some(({ id }) => id === params.id);
    if (!owned) return notFound();
    const limited = limits.allow('authoritiesByAccount', accountId);
    if (limited) return limited;
    const removed = await removeAuthority(store, { accountId, id: params.id, now });
    return removed ? { data: null } : notFound();
  });
}

const notFound = () => refuse('not_found', 'There is no such authority.');

function authorityWire({ id, facts, addedAt }: TrustedAuthority): AuthorityWire {
  return {
    id,
    fingerprint: facts.fingerprint,
    subject: facts.subject,
    subject_full_dn: facts.subjectFullDn,
    valid_from: iso(facts.notBefore),
    expiry_date: iso(facts.notAfter),
    added_at: iso(addedAt),
  };
}
