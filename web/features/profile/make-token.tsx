import { useEffect, useId, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { TOKEN_LIFETIMES, TOKEN_NAME_MAX_LENGTH } from '../../../contract/token.ts';
import type { TokenScope, TokenWire } from '../../../contract/token.ts';
import { messageOf } from '../../lib/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { CheckboxLine } from '../../ui/checkbox-line.tsx';
import { CopyTextButton } from '../../ui/copy-button.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { toast } from '../../ui/toast.tsx';
import { makeToken } from './token-calls.ts';

const SCOPES: { scope: TokenScope; label: string; note: string }[] = [
  { scope: 'read', label: 'Read', note: 'Your domains, certificates, alerts and figures' },
  { scope: 'write', label: 'Write', note: 'Add, change and remove domains, channels and alert settings' },
  { scope: 'metrics', label: 'Metrics', note: 'Only the figures for Prometheus; Read includes them' },
];
const NO_END = 'never';

/** Asks what a new token is for. `onDone` gets it with its secret; null: given up. */
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
  const [isBusy, setBusy] = useState(false);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  const nameError = isSent && name.trim() === '' ? 'Give the token a name' : undefined;
  const scopeError = isSent && scopes.length === 0 ? 'Choose what the token may do' : undefined;
  const make = async (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (name.trim() === '' || scopes.length === 0) {
      form.current?.querySelector('input')?.focus();
      return;
    }
    setBusy(true);
    try {
      onDone(await makeToken({ name, scopes, expires_in_days: days === NO_END ? null : Number(days) }));
    } catch (error) {
      setBusy(false);
      toast.error(`The token was not created: ${messageOf(error)}`);
    }
  };

  return (
    <form ref={form} noValidate className="grid gap-4" onSubmit={(event) => void make(event)}>
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
      <SelectField label="Expires" value={days} onChange={(event) => setDays(event.target.value)}>
        {TOKEN_LIFETIMES.map((lifetime) => (
          <option key={lifetime} value={lifetime}>
            {lifetime === 365 ? 'In a year' : `In ${lifetime} days`}
          </option>
        ))}
        <option value={NO_END}>Never</option>
      </SelectField>
      <div className="flex flex-wrap justify-end gap-2 max-md:flex-col-reverse">
        <Button variant="outline" onClick={() => onDone(null)}>
          Cancel
        </Button>
        <Button type="submit" busy={isBusy}>
          Create token
        </Button>
      </div>
    </form>
  );
}

/** The secret, this once. */
export function MadeToken({ secret, onDone }: { secret: string; onDone: () => void }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={frame}>
      <Field
        label="Your new token"
        aside="Shown this once"
        mono
        readOnly
        value={secret}
        hint="Copy it now. Whoever has it can do with your account what its scopes allow."
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
