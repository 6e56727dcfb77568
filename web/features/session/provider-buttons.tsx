import { useEffect, useRef, useState } from 'react';
import type { Identity } from '../../lib/identity.ts';
import { Button } from '../../ui/button.tsx';
import { GoogleMark } from './google-mark.tsx';

export interface ProviderButtonsProps {
  /** 'Sign In' or 'Sign Up'. */
  verb: string;
  providers: readonly { id: string; name: string }[];
  invite?: string | undefined;
  /** From a button that offers the trial. */
  trial?: boolean | undefined;
  /** Runs what it is given, and tells what goes wrong. */
  onChoose: (provider: string, prove: (identity: Identity) => Promise<null>) => Promise<unknown>;
}

/** 'Or continue with', and a button for each of the other providers. */
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
    // A window that went out of sight may still answer, but holds up nobody.
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
