const ALIASES: Record<string, string> = { host_name: 'hostname' };

function snakeCase(key: string): string {
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return ALIASES[snake] ?? snake;
}

/** The one place where both casings of an answer become the contract's snake_case; values stay as they are. */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [snakeCase(key), toSnakeCase(inner)]),
  );
}
