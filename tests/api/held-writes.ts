import type { Store } from '../../server/store/db/open-store.ts';

const WRITES = new Set<string | symbol>(['transaction', 'insertInto', 'updateTable', 'deleteFrom']);

/**
 * Holds back writes to the store until `release`, beginning with write number `from` (counted from 0). Writes after
 * `passOthers` are not held back. Lets a test act after a request was authenticated and before it writes.
 */
export function holdWrites(store: Store, { from = 0 } = {}) {
  const released = Promise.withResolvers<void>();
  const listeners: { count: number; resolve: () => void }[] = [];
  const { db } = store;
  let begun = 0;
  let asked = 0;
  let isHolding = true;
  const pause = async () => {
    begun += 1;
    if (begun <= from) return;
    asked += 1;
    for (const { count, resolve } of listeners) if (asked >= count) resolve();
    await released.promise;
  };
  store.db = new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!isHolding || !WRITES.has(name)) return value.bind(target);
      return (...inputs: unknown[]) => afterPause(value.apply(target, inputs), pause);
    },
  });
  return {
    /** Resolves once `count` writes are held back. */
    whenAsked(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (asked >= count) resolve();
      else listeners.push({ count, resolve });
      return promise;
    },
    passOthers() {
      isHolding = false;
    },
    release: () => released.resolve(),
  };
}

/** Returns the builder of a query or transaction. Its `execute…` methods await `pause` before they run. */
function afterPause(builder: unknown, pause: () => Promise<void>): unknown {
  return new Proxy(builder as object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const isEnd = String(name).startsWith('execute');
      return (...inputs: unknown[]) =>
        isEnd
          ? pause().then(() => Reflect.apply(value, target, inputs))
          : afterPause(Reflect.apply(value, target, inputs), pause);
    },
  });
}
