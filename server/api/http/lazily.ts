/** Made when it is first asked for, and kept: not every process of many comes to need it, and each would start later. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
