/**
 * LRU cache, limited to a total size in the caller's unit (entries if no sizes are given). Does not store an entry that
 * is larger than the limit.
 */
export class LruCache<Key, Value> {
  readonly #entries = new Map<Key, { value: Value; size: number }>();
  readonly #limit: number;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Returns the value and makes it the most recently used one, or returns null if the key is missing or was evicted.
   */
  get(key: Key): Value | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    // A Map iterates in insertion order, so reinserting the entry makes it the newest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value, size = 1): void {
    this.delete(key);
    if (size > this.#limit) return;
    this.#entries.set(key, { value, size });
    this.#total += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#total <= this.#limit) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    this.#total -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
