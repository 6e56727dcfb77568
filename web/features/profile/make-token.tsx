import { useEffect, useId, useRef, useState } from 'react';
import {
  createTokenSchema,
  TOKEN_LIFETIMES,
  TOKEN_NAME_MAX_LENGTH,
  type TokenScope,
  type TokenWire,
} from '../../../contract/token.ts';
import { makeToken } from '../../../contract/calls/token.ts';
import { call } from '../../lib/api-client.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Form, ReversedOnPhone } from '../../ui/dialog.tsx';
import { CheckboxLine } from '../../ui/form/checkbox-line.tsx';
import { CopyTextButton } from '../../ui/copy-button.tsx';
import { Field, FieldError } from '../../ui/form/field.tsx';
import { SelectField } from '../../ui/form/select-field.tsx';
import { toast } from '../../ui/toast.tsx';

const SCOPES: { scope: TokenScope; label: string; note: string }[] = [
  { scope: 'read', label: 'Read', note: 'Your domains, certificates, alerts and metrics' },
  { scope: 'write', label: 'Write', note: 'Add, change and remove domains, channels and alert settings' },
  { scope: 'metrics', label: 'Metrics', note: 'Only metrics for Prometheus; Read includes them' },
];
const NO_END = 'never';
const LIFETIMES = [
  ...TOKEN_LIFETIMES.map((days) => ({
    value: String(days),
    label: days === 365 ? 'In a year' : `In ${days} days`,
  })),
  { value: NO_END, label: 'Never' },
];

/** Asks for name and scopes of a new token. `onDone` gets the token with its secret; null if cancelled. */
export function MakeTokenForm({
  onDone,
}: {
  onDone: (made: { token: TokenWire; secret: string } | null) => void;
}) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<TokenScope[]>(['read']);
  const [days, setDays] = useState('90');
  const [isSent, setSent] = useState(false);
  const { mutate, isPending } = useWrite({
    mutationFn: () =>
      call(makeToken, {
        body: { name, scopes, expires_in_days: days === NO_END ? null : Number(days) },
      }),
    onSuccess: onDone,
    onError: (error) => toast.failed('Could not create the token', error),
  });
  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  const fields = createTokenSchema.shape;
  const checkedName = fields.name.safeParse(name);
  const checkedScopes = fields.scopes.safeParse(scopes);
  const nameError = isSent ? checkedName.error?.issues[0]?.message : undefined;
  const scopeError = isSent ? checkedScopes.error?.issues[0]?.message : undefined;
  const make = () => {
    setSent(true);
    if (checkedName.success && checkedScopes.success) return mutate();
    const invalid = checkedName.success ? 'fieldset input' : 'input';
    form.current?.querySelector<HTMLInputElement>(invalid)?.focus();
  };

  return (
    <Form ref={form} className="grid gap-4" onSubmit={make}>
      <Field
        label="Name"
        placeholder="What it is for"
        autoComplete="off"
        maxLength={TOKEN_NAME_MAX_LENGTH}
        value={name}
        error={nameError}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset aria-describedby={scopeError === undefined ? undefined : `${id}-scopes`}>
        <legend className="text-label font-medium">Scopes</legend>
        {SCOPES.map(({ scope, label, note }) => (
          <CheckboxLine
            key={scope}
            label={label}
            note={note}
            checked={scopes.includes(scope)}
            onChange={(isChosen) =>
              setScopes((former) =>
                isChosen ? [...former, scope] : former.filter((other) => other !== scope),
              )
            }
          />
        ))}
        {scopeError !== undefined && <FieldError id={`${id}-scopes`}>{scopeError}</FieldError>}
      </fieldset>
      <SelectField label="Expires" value={days} onChange={setDays} options={LIFETIMES} />
      <div className="flex flex-wrap justify-end gap-2 max-md:flex-col">
        <ReversedOnPhone>
          <CancelButton onClick={() => onDone(null)} />
          <Button type="submit" busy={isPending}>
            Create token
          </Button>
        </ReversedOnPhone>
      </div>
    </Form>
  );
}

/** Shows the secret, once. */
export function MadeToken({ secret, onDone }: { secret: string; onDone: () => void }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={frame}>
      <Field
        label="Your new token"
        aside="Shown only once"
        mono
        readOnly
        value={secret}
        hint="Copy it now. Anyone who has the token can use your account within its scopes."
        onFocus={(event) => event.target.select()}
      />
      <div className="mt-2.5 flex flex-wrap items-center gap-2">
        <CopyTextButton label="Copy the token" text={secret} />
        <Button variant="ghost" size="small" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
