import { useCallback, useSyncExternalStore } from 'react';
import { useCurrentUser } from './account/current-user.ts';

const PREFIX = 'draft ';

const drafts = createDrafts(() => sessionStorage);

/** Key of the draft with the host to add. */
export const ADD_DOMAIN_DRAFT = 'add-domain';

/** Key of the draft with the host that a visitor chose before signing in. It is added without asking again. */
export const HOST_TO_WATCH = 'host-to-watch';

/** Stores a draft for a user who has just signed in; `useDraft` reads it. */
export const keepDraft = drafts.write;

/** Forgets the drafts of all users, or of all but one user: at logout, or when another user signs in. */
export const forgetDrafts = drafts.forget;

/** Texts that were typed and not sent, by user and key. */
export interface Drafts {
  /** Returns '' if there is no draft. */
  read: (userId: string, key: string) => string;
  /** An empty text removes the draft. */
  write: (userId: string, key: string, text: string) => void;
  /** Forgets the drafts of all users, or of all but the user `except`. */
  forget: (except?: string) => void;
  subscribe: (listener: () => void) => () => void;
}

/**
 * Stores drafts in session storage: they survive reloads and a login, but not the tab. If storage is blocked, they last until
 * the page closes.
 */
export function createDrafts(storage: () => Storage): Drafts {
  const kept = new Map<string, string>(stored(storage));
  const listeners = new Set<() => void>();
  const nameOf = (userId: string, key: string) => `${PREFIX}${userId} ${key}`;

  const put = (name: string, text: string) => {
    if (text === '') kept.delete(name);
    else kept.set(name, text);
    try {
      // Remove the old text first: if the new text does not fit, the old one must not come back.
      storage().removeItem(name);
      if (text !== '') storage().setItem(name, text);
    } catch {
      // If storage is full or blocked, the draft lasts until the page closes.
    }
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };

  return {
    read: (userId, key) => kept.get(nameOf(userId, key)) ?? '',
    write(userId, key, text) {
      put(nameOf(userId, key), text);
      tell();
    },
    forget(except) {
      const own = except === undefined ? null : nameOf(except, '');
      for (const name of kept.keys()) if (own === null || !name.startsWith(own)) put(name, '');
      tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function stored(storage: () => Storage): [string, string][] {
  try {
    return Object.entries<string>(storage()).filter(([name]) => name.startsWith(PREFIX));
  } catch {
    return [];
  }
}

type SetText = (next: string | ((former: string) => string)) => void;

/**
 * Returns the user's unsent text under `key` as `[text, setText, clear]`. It survives reloads and expired sessions; other users never see
 * it. Call `clear` once the text is sent or discarded. `clear(sent)` clears only if the text still is `sent`, and returns whether it is.
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
