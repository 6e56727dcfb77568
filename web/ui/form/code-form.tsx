import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button, LinkButton } from '../button.tsx';
import { Field } from './field.tsx';

const WORDS = {
  app: { label: 'Enter the code from your authenticator app', other: 'Use a backup code instead' },
  backup: { label: 'Enter one of your backup codes', other: 'Use the authenticator app instead' },
} as const;

export interface CodeFormProps {
  submitLabel: string;
  /** Resolves to the error of a refused code, to show at the field; empty if it is shown elsewhere. */
  onEnter: (code: string, kind: 'app' | 'backup') => Promise<string | undefined>;
}

/** Asks for the second step of signing in: a code from the authenticator app or a backup code. */
export function CodeForm({ submitLabel, onEnter }: CodeFormProps) {
  const [kind, setKind] = useState<'app' | 'backup'>('app');
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const enter = async (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() === '') {
      setError('Please enter the code');
      return;
    }
    setError(undefined);
    setBusy(true);
    const refusal = await onEnter(code.trim(), kind);
    setBusy(false);
    setError(refusal);
    if (refusal !== undefined) input.current?.focus();
  };

  return (
    <form noValidate className="mt-6 grid gap-4" onSubmit={(event) => void enter(event)}>
      <Field
        ref={input}
        label={WORDS[kind].label}
        name="code"
        autoComplete="one-time-code"
        inputMode={kind === 'app' ? 'numeric' : 'text'}
        autoCapitalize="none"
        spellCheck={false}
        mono
        value={code}
        onChange={(event) => {
          setCode(event.target.value);
          setError(undefined);
        }}
        error={error}
      />
      <Button type="submit" size="form" className="mt-1.5 w-full" busy={busy}>
        {submitLabel}
      </Button>
      <LinkButton
        className="-my-2 min-h-11 justify-self-start text-label md:min-h-8"
        onClick={() => {
          setKind(kind === 'app' ? 'backup' : 'app');
          setCode('');
          setError(undefined);
          input.current?.focus();
        }}
      >
        {WORDS[kind].other}
      </LinkButton>
    </form>
  );
}
