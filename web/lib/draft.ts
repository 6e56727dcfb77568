import { useCallback, useSyncExternalStore } from 'react';
import { useCurrentUser } from './current-user.ts';
import { createDrafts } from './drafts.ts';

const drafts = createDrafts(() => sessionStorage);

/** The key of the host that is about to be added. */
export const ADD_DOMAIN_DRAFT = 'add-domain';

/** Keeps a text for somebody who has just signed in; `useDraft` finds it. */
export const keepDraft = drafts.write;

type SetText = (next: string | ((former: string) => string)) => void;

/**
 * What the signed-in user has typed under `key` and not yet sent: `[text, setText, clear]`. It survives a reload and a
 * session that ends in between; nobody else who signs in sees it. Clear it once it was sent, or is not wanted any more.
 * `clear(sent)` leaves what was typed on meanwhile, and answers whether it is cleared.
 */
export function useDraft(key: string): [text: string, setText: SetText, clear: (sent?: string) => boolean] {
  const { id } = useCurrentUser();
  const text = useSyncExternalStore(drafts.subscribe, () => drafts.read(id, key));
  const setText = useCallback<SetText>(
    (next) => drafts.write(id, key, typeof next === 'string' ? next : next(drafts.read(id, key))),
    [id, key],
  );
  const clear = useCallback(
    (sent?: string) => {
      const isWanted = sent !== undefined && drafts.read(id, key) !== sent;
      if (!isWanted) drafts.write(id, key, '');
      return !isWanted;
    },
    [id, key],
  );
  return [text, setText, clear];
}

/** When somebody logs out, or is found to be somebody else: forgets everyone's drafts, or everyone's but that user's. */
export const forgetDrafts = drafts.forget;
