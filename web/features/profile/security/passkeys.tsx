import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { useEffect, useRef, useState } from 'react';
import { z } from 'zod';
import { addPasskey, newPasskeyOptions, removePasskey } from '../../../../contract/calls/identity.ts';
import type { IdentityMethodsWire } from '../../../../contract/identity.ts';
import { call } from '../../../lib/api-client.ts';
import { SignInCancelled } from '../../../lib/account/identity.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { hasPasskeys, makePasskey, PASSKEY_PRELOAD } from '../../../lib/browser/webauthn.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { FreshSignInDialog, type FreshSignInProps } from './fresh-sign-in.tsx';
import { Form } from '../../../ui/dialog.tsx';

type Passkey = IdentityMethodsWire['passkeys'][number];

/** Creates a passkey on the device and registers it. Must be called in a click handler. */
async function createPasskey(name: string): Promise<void> {
  const options = await call({ ...newPasskeyOptions, response: creationOptions });
  await call(addPasskey, { body: { response: await makePasskey(options), name } });
}

const creationOptions = z.custom<PublicKeyCredentialCreationOptionsJSON>(
  (options) => options instanceof Object,
);

/** Lists, adds and removes passkeys. */
export function Passkeys({
  passkeys,
  methods,
  onChanged,
}: {
  passkeys: Passkey[];
  methods: FreshSignInProps<void>['methods'];
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
        <p className="text-fg-2">Passkeys need HTTPS and a browser that supports them.</p>
      )}
      <FreshSignInDialog
        open={adding}
        onOpenChange={setAdding}
        title="Add a passkey"
        description="Log in with your device’s screen lock instead of a password."
        methods={methods}
        acceptsRecent
        act={async () => undefined}
      >
        {() => (
          <NamePasskey
            onAdded={() => {
              setAdding(false);
              toast.success('Passkey added.');
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
          description={`You will no longer be able to log in with “${removing.name}”.`}
          methods={methods}
          act={() => call(removePasskey, { body: { id: removing.id } })}
          onDone={() => {
            setRemoving(null);
            toast.success('Passkey removed.');
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
  const { mutate, isPending } = useWrite({
    mutationFn: () => createPasskey(name.trim()),
    onSuccess: onAdded,
    onError: (error) => {
      if (!(error instanceof SignInCancelled)) toast.failed('Could not add the passkey', error);
    },
  });
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const add = () => {
    const isBlank = name.trim() === '';
    setRefusal(isBlank ? 'Please enter a name' : undefined);
    if (!isBlank) mutate();
  };

  return (
    <Form className="mt-5 grid gap-4" onSubmit={add} {...PASSKEY_PRELOAD}>
      <Field
        ref={input}
        label="Name"
        maxLength={100}
        hint="For example the name of this device"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={refusal}
      />
      <Button type="submit" size="form" className="w-full" busy={isPending}>
        Create passkey
      </Button>
    </Form>
  );
}
