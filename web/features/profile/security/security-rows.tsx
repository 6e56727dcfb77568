import { useQuery } from '@tanstack/react-query';
import { messageOf } from '../../../lib/api-error.ts';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Row } from '../../../ui/row.tsx';
import { AuthenticatorApp } from './authenticator-app.tsx';
import { Passkeys } from './passkeys.tsx';
import { fetchSignInMethods } from './security-calls.ts';

/** What only the built-in provider has. `providers` are those of the deployment. */
export function SecurityRows({ providers }: { providers: readonly { id: string; name: string }[] }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => fetchSignInMethods(signal),
  });
  const changed = () => void refetch();
  const placeholder = error ? (
    <div>
      <p className="text-fg-2">This could not be loaded: {messageOf(error)}</p>
      <Button variant="outline" size="small" className="mt-3" onClick={changed}>
        Try again
      </Button>
    </div>
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
            ways={{
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
