import { hashPassword, verifyPassword } from 'better-auth/crypto';

const hashes = new Map<string, Promise<string>>();
const verdicts = new Map<string, Promise<boolean>>();

/**
 * The product's password hashing with a cache: scrypt is slow on purpose, and hashing the same few passwords took most of the
 * time of the API tests.
 */
export const CACHED_PASSWORD_HASHING = {
  hash: (password: string): Promise<string> => cached(hashes, password, () => hashPassword(password)),
  verify: ({ hash, password }: { hash: string; password: string }): Promise<boolean> =>
    cached(verdicts, `${hash} ${password}`, () => verifyPassword({ hash, password })),
};

function cached<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
