import { useEffect, useRef, useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { ApiError, messageOf } from '../../../lib/api-error.ts';
import { useSignedIn } from '../../../lib/current-user.ts';
import { SignInCancelled } from '../../../lib/identity.ts';
import type { Identity, SecondStep } from '../../../lib/identity.ts';
import { hasPasskeys } from '../../../lib/webauthn.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeForm } from '../../../ui/code-form.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { PasswordField } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.tsx';

export interface FreshSignInProps<Ready> {
  /** The ways that this person has. */
  ways: { password: boolean; passkey: boolean; providers: readonly { id: string; name: string }[] };
  /** Runs as soon as it is clear who asks; the password is empty where another way was taken. */
  act: (password: string, identity: Identity) => Promise<Ready>;
  /** What follows in the same dialog; without it, `onDone` is all that follows. */
  children?: (ready: Ready) => ReactNode;
  onDone?: (ready: Ready) => void;
}

/**
 * A dialog that asks who is there before something of the account's security changes: the product's session alone, which
 * may be somebody else's at an open screen, is not enough. The provider's own session ends with the dialog.
 */
export function FreshSignInDialog<Ready>({
  open,
  onOpenChange,
  title,
  description,
  ...rest
}: FreshSignInProps<Ready> & {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: string;
}) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} description={description}>
      <FreshSignIn {...rest} />
    </Dialog>
  );
}

/** The provider's own session of the dialog: it ends, and with it all that still waits for an answer, when the dialog goes. */
function useProviderSession(): { begin: (provider: Identity) => void; over: () => AbortSignal | undefined } {
  const mounted = useRef<AbortController>(null);
  const begunWith = useRef<Identity>(null);
  useEffect(() => {
    const controller = new AbortController();
    mounted.current = controller;
    return () => {
      controller.abort();
      begunWith.current?.signOut().catch((error: unknown) => {
        // It runs out by itself within minutes.
        console.warn('The provider could not be told to forget the sign-in.', error);
      });
    };
  }, []);
  return {
    begin: (provider) => {
      begunWith.current = provider;
    },
    over: () => mounted.current?.signal,
  };
}

function FreshSignIn<Ready>({ ways, act, children, onDone }: FreshSignInProps<Ready>) {
  const { user, identity } = useSignedIn();
  const providerSession = useProviderSession();
  const [password, setPassword] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [busy, setBusy] = useState<string | null>(null);
  const [step, setStep] = useState<SecondStep | null>(null);
  const [ready, setReady] = useState<{ value: Ready } | null>(null);

  const run = async (way: string, prove: (provider: Identity) => Promise<SecondStep | null>) => {
    setBusy(way);
    setRefusal(undefined);
    try {
      const provider = await identity();
      const over = providerSession.over();
      const more = await prove(provider);
      if (over?.aborted) {
        await provider.signOut();
        return;
      }
      providerSession.begin(provider);
      setStep(more);
      if (more) return;
      const { email } = await provider.vouch();
      if (email.toLowerCase() !== user.email.toLowerCase())
        throw new Error(`That is the sign-in of another account, ${email}.`);
      const value = await act(way === 'password' ? password : '', provider);
      if (children) setReady({ value });
      onDone?.(value);
    } catch (error) {
      if (error instanceof SignInCancelled) return;
      const code = error instanceof ApiError ? error.code : null;
      if (way === 'password' && code === 'invalid_credentials') setRefusal('The password is not right.');
      else toast.error(messageOf(error));
      // The provider has forgotten that the password was right.
      if (code === 'not_authenticated') setStep(null);
    } finally {
      setBusy(null);
    }
  };

  if (ready && children) return children(ready.value);
  if (step)
    return (
      <CodeForm
        submitLabel="Continue"
        onEnter={(code, kind) =>
          run('password', async () => {
            await step.enter(code, kind);
            return null;
          })
        }
      />
    );

  const enter = (event: FormEvent) => {
    event.preventDefault();
    if (password === '') setRefusal('Please enter your password');
    else void run('password', (provider) => provider.signIn(user.email, password));
  };
  return (
    <div className="mt-4 grid gap-3">
      <p>First, confirm that it is you.</p>
      {ways.password && (
        <form noValidate className="grid gap-4" onSubmit={enter}>
          <input type="email" autoComplete="username" value={user.email} readOnly hidden />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            error={refusal}
          />
          <Button type="submit" size="form" className="w-full" busy={busy === 'password'}>
            Continue
          </Button>
        </form>
      )}
      {ways.passkey && hasPasskeys() && (
        <Button
          variant="outline"
          size="form"
          busy={busy === 'passkey'}
          onClick={() =>
            void run('passkey', async (provider) => {
              await provider.signInWithPasskey?.();
              return null;
            })
          }
        >
          Use a passkey
        </Button>
      )}
      {ways.providers.map(({ id, name }) => (
        <Button
          key={id}
          variant="outline"
          size="form"
          busy={busy === id}
          onClick={() =>
            void run(id, async (provider) => {
              await provider.signInWith(id, {
                onClosed: () => setBusy(null),
                signal: providerSession.over(),
              });
              return null;
            })
          }
        >
          Continue with {name}
        </Button>
      ))}
    </div>
  );
}
