import { symmetricDecrypt } from 'better-auth/crypto';
import type { jwt } from 'better-auth/plugins';

type ReadKeys = NonNullable<NonNullable<NonNullable<Parameters<typeof jwt>[0]>['adapter']>['getJwks']>;
type Jwk = NonNullable<Awaited<ReturnType<ReadKeys>>>[number];

/**
 * The keys that our secret can open. Those from before the secrets were lost would fail every sign-in: left out, a new one
 * takes their place.
 */
export const openableKeys: ReadKeys = async ({ context }) => {
  const keys = await context.adapter.findMany<Jwk>({ model: 'jwks' });
  const isOpenable = await Promise.all(
    keys.map(({ privateKey }) =>
      symmetricDecrypt({ key: context.secretConfig, data: JSON.parse(privateKey) as string }).then(
        () => true,
        () => false,
      ),
    ),
  );
  return keys.filter((_, index) => isOpenable[index]);
};
