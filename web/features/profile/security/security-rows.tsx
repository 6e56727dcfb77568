import { useQuery } from '@tanstack/react-query';
import { identityMethods } from '../../../../contract/calls/identity.ts';
import { call } from '../../../lib/api-client.ts';
import { SectionError } from '../../../domain/section-error.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { Row } from '../../../ui/form/row.tsx';
import { AuthenticatorApp } from './authenticator-app.tsx';
import { Passkeys } from './passkeys.tsx';

/** Shows the security settings that only the built-in provider has. `providers` are the other identity providers of the deployment. */
export function SecurityRows({ providers }: { providers: readonly { id: string; name: string }[] }) {
  const read = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call(identityMethods, { signal }),
  });
  const { data } = read;
  const changed = () => void read.refetch();
  const placeholder = read.error ? (
    <SectionError title="Could not load your login methods" read={read} />
  ) : (
    <Skeleton className="h-9 w-32" />
  );
  return (
    <>
      <Row title="Authenticator app" description="A code as a second step after your password.">
        {data ? (
          <AuthenticatorApp isOn={data.totp} hasPassword={data.password} onChanged={changed} />
        ) : (
          placeholder
        )}
      </Row>
      <Row title="Passkeys" description="Log in with your device instead of a password.">
        {data ? (
          <Passkeys
            passkeys={data.passkeys}
            methods={{
              password: data.password,
              passkey: data.passkeys.length > 0,
              providers: providers.filter(({ id }) => data.oidc.includes(id)),
            }}
            onChanged={changed}
          />
        ) : (
          placeholder
        )}
      </Row>
    </>
  );
}
