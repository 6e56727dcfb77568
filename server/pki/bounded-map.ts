/**
 * Keeps what was used last, up to a total size in the caller's unit (entries where no sizes are given). An entry larger than the
 * whole map is not kept.
 */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, { value: Value; size: number }>();
  readonly #limit: number;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** null for what it does not have, or has forgotten. */
  get(key: Key): Value | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    // A Map keeps the order of insertion: inserted again, the entry is the newest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value, size = 1): void {
    this.#forget(key);
    if (size > this.#limit) return;
    this.#entries.set(key, { value, size });
    this.#total += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#total <= this.#limit) return;
      this.#forget(oldest);
    }
  }

  #forget(key: Key): void {
    this.#total -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
