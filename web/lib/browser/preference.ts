import { useSyncExternalStore } from 'react';

/**
 * A choice stored on this device, with a default until the user chooses. If storage is blocked, the choice lasts until the
 * page closes.
 */
export interface Preference<Value> {
  get: () => Value;
  set: (value: Value) => void;
  /** A hook that returns the same as `get` and rerenders when the choice changes, also in another tab. */
  use: () => Value;
  subscribe: (listener: () => void) => () => void;
}

/** Creates a preference with a few possible values, stored in local storage under `key`. */
export function createPreference<Value extends string>(
  key: string,
  choices: readonly Value[],
  fallback: Value,
): Preference<Value> {
  const listeners = new Set<() => void>();
  const among = (text: string | null) => choices.find((choice) => choice === text) ?? fallback;
  let current = among(stored(key));

  const change = (value: Value) => {
    if (value === current) return;
    current = value;
    for (const listener of listeners) listener();
  };
  const onStorage = (event: StorageEvent) => {
    if (event.key === key) change(among(event.newValue));
  };
  const get = () => current;
  const subscribe = (listener: () => void) => {
    if (listeners.size === 0) window.addEventListener('storage', onStorage);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) window.removeEventListener('storage', onStorage);
    };
  };

  return {
    get,
    set(value) {
      try {
        localStorage.setItem(key, value);
      } catch {
        // If storage is blocked, the choice lasts until the page closes.
      }
      change(value);
    },
    use: () => useSyncExternalStore(subscribe, get, () => fallback),
    subscribe,
  };
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Whether single-key shortcuts are on. Users of speech input may press them by accident, so they can be off (WCAG 2.1.4). */
export const singleKeyShortcuts = createPreference('shortcuts', ['on', 'off'], 'on');
