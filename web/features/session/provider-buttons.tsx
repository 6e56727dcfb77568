import { useEffect, useRef, useState } from 'react';
import type { Identity } from '../../lib/account/identity.ts';
import { Button } from '../../ui/button.tsx';

export interface ProviderButtonsProps {
  /** 'Sign In' or 'Sign Up'. */
  verb: string;
  providers: readonly { id: string; name: string }[];
  invite?: string | undefined;
  /** True if the page was opened from a button that offers the trial. */
  trial?: boolean | undefined;
  /** Runs the sign-in and shows its errors. */
  onChoose: (provider: string, prove: (identity: Identity) => Promise<null>) => Promise<unknown>;
}

/** Shows 'Or continue with' and a button per provider. */
export function ProviderButtons({ verb, providers, invite, trial, onChoose }: ProviderButtonsProps) {
  const [busy, setBusy] = useState<string | null>(null);
  const leaving = useRef<AbortController>(null);
  useEffect(() => {
    const left = new AbortController();
    leaving.current = left;
    return () => left.abort();
  }, []);

  const choose = async (provider: string) => {
    setBusy(provider);
    // The sign-in window may be hidden and still answer, but the page no longer waits for it.
    const done = () => setBusy((current) => (current === provider ? null : current));
    await onChoose(provider, async (identity) => {
      const signal = leaving.current?.signal;
      await identity.signInWith(provider, { invite, trial, onClosed: done, signal });
      return null;
    });
    done();
  };

  return (
    <>
      <div className="my-5 flex items-center gap-3 text-meta text-fg-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        Or continue with
      </div>
      <div className="grid gap-2.5">
        {providers.map(({ id, name }) => (
          <Button
            key={id}
            variant="outline"
            size="form"
            className="w-full"
            busy={busy === id}
            onClick={() => void choose(id)}
          >
            {id === 'google' && busy !== id && <GoogleMark />}
            {verb} with {name}
          </Button>
        ))}
      </div>
    </>
  );
}

function GoogleMark() {
  return (
    <svg viewBox="0 0 16 16" className="size-4 flex-none forced-color-adjust-none" aria-hidden="true">
      <path
        d="M14.6 8.15c0-.5-.05-.9-.13-1.35H8v2.5h3.75a3.3 3.3 0 0 1-1.4 2.12v1.72h2.25c1.3-1.22 2-3 2-4.99Z"
        fill="#4285F4"
      />
      <path
        d="M8 14.8c1.87 0 3.45-.62 4.6-1.66l-2.25-1.74c-.62.42-1.42.68-2.35.68-1.8 0-3.34-1.22-3.89-2.86H1.79v1.79A6.9 6.9 0 0 0 8 14.8Z"
        fill="#34A853"
      />
      <path d="M4.11 9.22a4.2 4.2 0 0 1 0-2.64V4.79H1.79a6.9 6.9 0 0 0 0 6.22l2.32-1.79Z" fill="#FBBC05" />
      <path
        d="M8 3.72c1.02 0 1.93.35 2.65 1.04l1.99-1.99A6.66 6.66 0 0 0 8 1a6.9 6.9 0 0 0-6.21 3.79l2.32 1.79C4.66 4.94 6.2 3.72 8 3.72Z"
        fill="#EA4335"
      />
    </svg>
  );
}
