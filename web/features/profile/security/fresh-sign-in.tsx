import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { resumeIdentity } from '../../../../contract/calls/identity.ts';
import { call } from '../../../lib/api-client.ts';
import { ApiError, messageOf } from '../../../lib/api-error.ts';
import { useSignedIn } from '../../../lib/account/current-user.ts';
import { type Identity, type SecondStep, SignInCancelled } from '../../../lib/account/identity.ts';
import { hasPasskeys, PASSKEY_PRELOAD } from '../../../lib/browser/webauthn.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeForm } from '../../../ui/form/code-form.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { PasswordField } from '../../../ui/form/field.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { toast } from '../../../ui/toast.tsx';

export interface FreshSignInProps<Ready> {
  /** The user's sign-in methods. */
  methods: { password: boolean; passkey: boolean; providers: readonly { id: string; name: string }[] };
  /** Asks nothing if the last sign-in was a moment ago. */
  acceptsRecent?: boolean;
  /** Runs after the user has confirmed their identity; the password is empty for other methods. */
  act: (password: string, identity: Identity) => Promise<Ready>;
  /** The next step in the same dialog; without it the dialog closes with `onDone`. */
  children?: (ready: Ready) => ReactNode;
  onDone?: (ready: Ready) => void;
}

/**
 * Asks the user to sign in again before a security setting changes: the product's session may belong to somebody else at an
 * unlocked screen. The provider's session ends with the dialog.
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

/** Holds the provider's session of the dialog. When the dialog closes, it ends, and pending calls are aborted. */
function useProviderSession(): { begin: (provider: Identity) => void; over: () => AbortSignal | undefined } {
  const mounted = useRef<AbortController>(null);
  const begunWith = useRef<Identity>(null);
  useEffect(() => {
    const controller = new AbortController();
    mounted.current = controller;
    return () => {
      controller.abort();
      begunWith.current?.signOut().catch((error: unknown) => {
        // The session expires by itself within minutes.
        console.warn('Could not sign out at the provider.', error);
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

/** The method of `run` that asks nothing. */
const RECENT = 'recent';

function FreshSignIn<Ready>({
  methods,
  acceptsRecent = false,
  act,
  children,
  onDone,
}: FreshSignInProps<Ready>) {
  const { user, identity } = useSignedIn();
  const providerSession = useProviderSession();
  const [password, setPassword] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [busy, setBusy] = useState<string | null>(acceptsRecent ? RECENT : null);
  const [step, setStep] = useState<SecondStep | null>(null);
  const [ready, setReady] = useState<{ value: Ready } | null>(null);

  /** Resolves to the error of a refused code. Shows all other errors itself. */
  const run = async (
    method: string,
    prove: (provider: Identity) => Promise<SecondStep | null>,
  ): Promise<string | undefined> => {
    setBusy(method);
    setRefusal(undefined);
    try {
      const provider = await identity();
      const over = providerSession.over();
      const more = await prove(provider);
      if (over?.aborted) {
        await provider.signOut();
        return undefined;
      }
      providerSession.begin(provider);
      setStep(more);
      if (more) return undefined;
      const { email } = await provider.proveSignIn();
      if (email.toLowerCase() !== user.email.toLowerCase())
        throw new Error(`That sign-in belongs to another account, ${email}.`);
      const value = await act(method === 'password' ? password : '', provider);
      if (children) setReady({ value });
      onDone?.(value);
    } catch (error) {
      if (error instanceof SignInCancelled) return undefined;
      const code = error instanceof ApiError ? error.code : null;
      if (code === 'invalid_code') return messageOf(error);
      if (method === 'password' && code === 'invalid_credentials') setRefusal('The password is wrong.');
      else toast.error(messageOf(error));
      // The provider's session has expired: ask for the password again.
      if (code === 'not_authenticated') setStep(null);
    } finally {
      setBusy(null);
    }
    return undefined;
  };

  const resume = useEffectEvent(() =>
    run(RECENT, async () => {
      const { resumed } = await call(resumeIdentity);
      if (!resumed) throw new SignInCancelled();
      return null;
    }),
  );
  useEffect(() => {
    // Opening the dialog is the event.
    // oxlint-disable-next-line react/set-state-in-effect
    if (acceptsRecent) void resume();
  }, [acceptsRecent]);

  if (ready && children) return children(ready.value);
  if (busy === RECENT) return <Skeleton className="mt-5 h-10" />;
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
      <p>Confirm that it’s you.</p>
      {methods.password && (
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
      {methods.passkey && hasPasskeys() && (
        <Button
          variant="outline"
          size="form"
          busy={busy === 'passkey'}
          {...PASSKEY_PRELOAD}
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
      {methods.providers.map(({ id, name }) => (
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
