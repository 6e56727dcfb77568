import { useSyncExternalStore } from 'react';

/** What somebody chose on this device. Without a stored choice, or where storage is switched off, it is the fallback. */
export interface Preference<Value> {
  get: () => Value;
  set: (value: Value) => void;
  /** As `get`, in a component that follows the choice, made in another tab too. */
  use: () => Value;
  subscribe: (listener: () => void) => () => void;
}

/** A choice among a few, kept in the local storage under `key` as it is written here. */
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
        // The choice then holds until the page is left.
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
