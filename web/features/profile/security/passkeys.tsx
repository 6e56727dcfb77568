import { useEffect, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import type { IdentityMethodsWire } from '../../../../contract/identity.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { SignInCancelled } from '../../../lib/identity.ts';
import { hasPasskeys } from '../../../lib/webauthn.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { FreshSignInDialog } from './fresh-sign-in.tsx';
import type { FreshSignInProps } from './fresh-sign-in.tsx';
import { addPasskey, removePasskey } from './security-calls.ts';

type Passkey = IdentityMethodsWire['passkeys'][number];

/** Lists, adds and removes passkeys. */
export function Passkeys({
  passkeys,
  ways,
  onChanged,
}: {
  passkeys: Passkey[];
  ways: FreshSignInProps<void>['ways'];
  onChanged: () => void;
}) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  return (
    <div className="grid gap-3">
      {passkeys.length > 0 && (
        <ul className="grid">
          {passkeys.map((passkey) => (
            <li
              key={passkey.id}
              className="flex items-center justify-between gap-3 border-b border-line py-2.5 first:pt-0 last:border-0"
            >
              <div className="min-w-0">
                <p className="font-medium [overflow-wrap:anywhere]">{passkey.name}</p>
                <p className="text-meta text-fg-3">
                  Added <Time iso={passkey.created_at} />
                </p>
              </div>
              <Button
                variant="outline"
                size="small"
                aria-label={`Remove the passkey ${passkey.name}`}
                onClick={() => setRemoving(passkey)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {hasPasskeys() ? (
        <div>
          <Button variant="outline" className="max-md:w-full" onClick={() => setAdding(true)}>
            Add a passkey
          </Button>
        </div>
      ) : (
        <p className="text-fg-2">This browser has no passkeys here; they need https.</p>
      )}
      <FreshSignInDialog
        open={adding}
        onOpenChange={setAdding}
        title="Add a passkey"
        description="It logs you in without a password, by your device's lock."
        ways={ways}
        act={async () => undefined}
      >
        {() => (
          <NamePasskey
            onAdded={() => {
              setAdding(false);
              toast.success('The passkey is added.');
              onChanged();
            }}
          />
        )}
      </FreshSignInDialog>
      {removing && (
        <FreshSignInDialog
          open
          onOpenChange={() => setRemoving(null)}
          title="Remove the passkey"
          description={`“${removing.name}” will log nobody in any more.`}
          ways={ways}
          act={() => removePasskey(removing.id)}
          onDone={() => {
            setRemoving(null);
            toast.success('The passkey is removed.');
            onChanged();
          }}
        />
      )}
    </div>
  );
}

function NamePasskey({ onAdded }: { onAdded: () => void }) {
  const [name, setName] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') {
      setRefusal('Please enter a name');
      return;
    }
    setRefusal(undefined);
    setBusy(true);
    try {
      await addPasskey(name.trim());
      onAdded();
    } catch (error) {
      if (!(error instanceof SignInCancelled)) toast.error(`The passkey was not added: ${messageOf(error)}`);
      setBusy(false);
    }
  };

  return (
    <form noValidate className="mt-5 grid gap-4" onSubmit={(event) => void add(event)}>
      <Field
        ref={input}
        label="Name"
        maxLength={100}
        hint="So that you know it again, such as the name of this device"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={refusal}
      />
      <Button type="submit" size="form" className="w-full" busy={busy}>
        Create passkey
      </Button>
    </form>
  );
}
