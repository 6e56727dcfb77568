import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { resumeIdentity } from '../../../../contract/calls/identity.ts';
import { call } from '../../../lib/api-client.ts';
import { ApiError, messageOf } from '../../../lib/api-error.ts';
import { useSignedIn } from '../../../lib/account/current-user.ts';
import { type Identity, type SecondStep, SignInCancelled } from '../../../lib/account/identity.ts';
import { hasPasskeys, PASSKEY_PRELOAD } from '../../../lib/browser/webauthn.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeForm } from '../../../ui/form/code-form.tsx';
import { Dialog, Form, type OpenState } from '../../../ui/dialog.tsx';
import { PasswordField } from '../../../ui/form/field.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { toast } from '../../../ui/toast.tsx';

export interface FreshSignInProps<Ready> {
  /** The user's sign-in methods. */
  methods: { password: boolean; passkey: boolean; providers: readonly { id: string; name: string }[] };
  /** If true and the last sign-in was a moment ago, asks for nothing. */
  acceptsRecent?: boolean;
  /** Runs after the user has confirmed their identity. `password` is empty if they used another method. */
  act: (password: string, identity: Identity) => Promise<Ready>;
  /** The next step in the same dialog. If absent, `act` is the last step: the dialog closes and calls `onDone`. */
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
}: FreshSignInProps<Ready> & OpenState & { title: string; description: string }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} description={description} hasCross>
      <FreshSignIn {...rest} />
    </Dialog>
  );
}

/** Holds the provider's session for the dialog. Closing the dialog ends the session and aborts pending calls. */
function useProviderSession(): { begin: (provider: Identity) => void; over: () => AbortSignal | undefined } {
  const mounted = useRef<AbortController>(null);
  const begunWith = useRef<Identity>(null);
  useEffect(() => {
    const controller = new AbortController();
    mounted.current = controller;
    return () => {
      controller.abort();
      begunWith.current?.signOut().catch((error: unknown) => {
        // Not shown to the user: the session expires by itself within minutes.
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

/** Name of the sign-in method that asks for nothing: a recent sign-in. */
const RECENT = 'recent';

/** Proves the user's identity by one of the methods, in up to two steps, and then calls `act`. */
function useProof<Ready>({ acceptsRecent = false, act, children, onDone }: FreshSignInProps<Ready>) {
  const { user, identity } = useSignedIn();
  const providerSession = useProviderSession();
  const [refusal, setRefusal] = useState<string>();
  const [busy, setBusy] = useState<string | null>(acceptsRecent ? RECENT : null);
  const [step, setStep] = useState<SecondStep | null>(null);
  const [ready, setReady] = useState<{ value: Ready } | null>(null);

  /**
   * Runs `prove`, which may resolve to a second step. Resolves to the error of a refused code, for the field; shows all other
   * errors itself.
   */
  const run = async (
    method: string,
    prove: (provider: Identity) => Promise<SecondStep | null | void>,
    password = '',
  ): Promise<string | undefined> => {
    setBusy(method);
    setRefusal(undefined);
    try {
      const provider = await identity();
      const over = providerSession.over();
      const more = (await prove(provider)) ?? null;
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
      const value = await act(password, provider);
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
    }),
  );
  useEffect(() => {
    // Opening the dialog is the event.
    // oxlint-disable-next-line react/set-state-in-effect
    if (acceptsRecent) void resume();
  }, [acceptsRecent]);

  return {
    run,
    refusal,
    refuse: setRefusal,
    busy,
    notBusy: () => setBusy(null),
    step,
    ready,
    over: providerSession.over,
  };
}

function FreshSignIn<Ready>(props: FreshSignInProps<Ready>) {
  const { methods, children } = props;
  const { user } = useSignedIn();
  const proof = useProof(props);
  const { run, busy, step, ready } = proof;
  // Keep the password in memory: after a second step, the call may need it.
  const [password, setPassword] = useState('');
  if (ready && children) return children(ready.value);
  if (busy === RECENT) return <Skeleton className="mt-5 h-10" />;
  if (step)
    return (
      <CodeForm
        submitLabel="Continue"
        onEnter={(code, kind) => run('password', () => step.enter(code, kind), password)}
      />
    );

  const enter = () => {
    if (password === '') proof.refuse('Please enter your password');
    else void run('password', (provider) => provider.signIn(user.email, password), password);
  };
  const others: Method[] = [
    ...(methods.passkey && hasPasskeys()
      ? [
          {
            id: 'passkey',
            label: 'Use a passkey',
            prove: async (provider: Identity) => provider.signInWithPasskey?.(),
            preload: PASSKEY_PRELOAD,
          },
        ]
      : []),
    ...methods.providers.map(({ id, name }) => ({
      id,
      label: `Continue with ${name}`,
      prove: (provider: Identity) =>
        provider.signInWith(id, { onClosed: proof.notBusy, signal: proof.over() }),
    })),
  ];
  return (
    <div className="mt-4 grid gap-3">
      <p>Confirm that it’s you.</p>
      {methods.password && (
        <Form className="grid gap-4" onSubmit={enter}>
          <input type="email" autoComplete="username" value={user.email} readOnly hidden />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            error={proof.refusal}
          />
          <Button type="submit" size="form" className="w-full" busy={busy === 'password'}>
            Continue
          </Button>
        </Form>
      )}
      {others.map(({ id, label, prove, preload }) => (
        <Button
          key={id}
          variant="outline"
          size="form"
          busy={busy === id}
          {...preload}
          onClick={() => void run(id, prove)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

/** A method other than the password. */
interface Method {
  id: string;
  label: string;
  prove: (provider: Identity) => Promise<void>;
  preload?: typeof PASSKEY_PRELOAD;
}
