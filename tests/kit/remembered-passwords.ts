import { hashPassword, verifyPassword } from 'better-auth/crypto';

const hashes = new Map<string, Promise<string>>();
const verdicts = new Map<string, Promise<boolean>>();

/**
 * The product's password hashing with a cache: scrypt is slow on purpose, and hashing the same few passwords took most of the
 * time of the API tests.
 */
export const REMEMBERED_PASSWORDS = {
  hash: (password: string): Promise<string> => remembered(hashes, password, () => hashPassword(password)),
  verify: ({ hash, password }: { hash: string; password: string }): Promise<boolean> =>
    remembered(verdicts, `${hash} ${password}`, () => verifyPassword({ hash, password })),
};

function remembered<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
