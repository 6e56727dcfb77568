const PREFIX = 'draft ';

/** What people have typed and not yet sent, each text under its owner and its key. */
export interface Drafts {
  /** Empty when there is none. */
  read: (userId: string, key: string) => string;
  /** An empty text is none. */
  write: (userId: string, key: string, text: string) => void;
  /** Forgets everyone's, or everyone's but that one user's. */
  forget: (except?: string) => void;
  subscribe: (listener: () => void) => () => void;
}

/**
 * Drafts in the session storage: they outlive a reload and a way through the login, not the tab. Where storage is switched
 * off they hold until the page is left.
 */
export function createDrafts(storage: () => Storage): Drafts {
  const kept = new Map<string, string>(stored(storage));
  const listeners = new Set<() => void>();
  const nameOf = (userId: string, key: string) => `${PREFIX}${userId} ${key}`;

  const put = (name: string, text: string) => {
    if (text === '') kept.delete(name);
    else kept.set(name, text);
    try {
      // First: where the text has no room, a former and shorter one must not come back with the next page.
      storage().removeItem(name);
      if (text !== '') storage().setItem(name, text);
    } catch {
      // Full or switched off: it then holds until the page is left.
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
