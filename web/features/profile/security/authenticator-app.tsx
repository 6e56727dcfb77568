import { useState } from 'react';
import type { FormEvent } from 'react';
import { messageOf } from '../../../lib/api-error.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { saveFile } from '../../../lib/save-file.ts';
import { FreshSignInDialog } from './fresh-sign-in.tsx';
import { beginAuthenticator, confirmAuthenticator, removeAuthenticator } from './security-calls.ts';
import type { AuthenticatorSetup } from './security-calls.ts';

// A one-time code follows the password, so only the password proves who changes it.
const BY_PASSWORD = { password: true, passkey: false, providers: [] };

/** Sets the authenticator app up, or takes it away. */
export function AuthenticatorApp({
  isOn,
  hasPassword,
  onChanged,
}: {
  isOn: boolean;
  hasPassword: boolean;
  onChanged: () => void;
}) {
  const [open, setOpen] = useState<'set up' | 'turn off' | null>(null);
  if (!hasPassword)
    return (
      <p className="text-fg-2">
        A code follows a password, and your account has none. Reset Password sets one.
      </p>
    );
  const close = () => setOpen(null);
  return (
    <>
      {isOn ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-fg-2">On: logging in with your password asks for a code.</p>
          <Button variant="outline" className="max-md:w-full" onClick={() => setOpen('turn off')}>
            Turn off
          </Button>
        </div>
      ) : (
        <Button variant="outline" className="max-md:w-full" onClick={() => setOpen('set up')}>
          Set up
        </Button>
      )}
      <FreshSignInDialog
        open={open === 'turn off'}
        onOpenChange={close}
        title="Turn off the authenticator app"
        description="Your password alone will log you in."
        ways={BY_PASSWORD}
        act={removeAuthenticator}
        onDone={() => {
          close();
          toast.success('The authenticator app is off.');
          onChanged();
        }}
      />
      <FreshSignInDialog
        open={open === 'set up'}
        onOpenChange={close}
        title="Set up an authenticator app"
        description="Logging in with your password will ask for a code of the app."
        ways={BY_PASSWORD}
        act={beginAuthenticator}
      >
        {(setup) => <Setup setup={setup} onOn={onChanged} onClose={close} />}
      </FreshSignInDialog>
    </>
  );
}

/** Four by four, as it is easier to type. */
function grouped(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}

function Setup({
  setup,
  onOn,
  onClose,
}: {
  setup: AuthenticatorSetup;
  onOn: () => void;
  onClose: () => void;
}) {
  const [isOn, setOn] = useState(false);
  if (isOn) return <BackupCodes codes={setup.backupCodes} onClose={onClose} />;
  return (
    <SecretStep
      setup={setup}
      onConfirmed={() => {
        setOn(true);
        onOn();
      }}
    />
  );
}

function SecretStep({ setup, onConfirmed }: { setup: AuthenticatorSetup; onConfirmed: () => void }) {
  const [code, setCode] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [busy, setBusy] = useState(false);

  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() === '') {
      setRefusal('Please enter the code');
      return;
    }
    setBusy(true);
    try {
      await confirmAuthenticator(code.trim());
      onConfirmed();
    } catch (error) {
      setRefusal(messageOf(error));
      setBusy(false);
    }
  };

  return (
    <form noValidate className="mt-5 grid gap-4" onSubmit={(event) => void confirm(event)}>
      <div>
        <p className="text-fg-2">
          1. Add an account to your authenticator app with this key, or open the app on this device.
        </p>
        <p className="mt-3 rounded-2 bg-sunken px-3 py-2.5 font-mono text-base/6 [overflow-wrap:anywhere]">
          {grouped(setup.secret)}
        </p>
        <div className="mt-2.5 flex flex-wrap gap-2">
          <CopyTextButton label="Copy key" text={setup.secret} />
          <a href={setup.address} className={buttonClass('outline', 'small')}>
            Open in the app
          </a>
        </div>
      </div>
      <Field
        label="2. Enter the code that the app shows"
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        mono
        value={code}
        onChange={(event) => setCode(event.target.value)}
        error={refusal}
      />
      <Button type="submit" size="form" className="w-full" busy={busy}>
        Turn on
      </Button>
    </form>
  );
}

function BackupCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { product_name: productName } = usePublicConfig();
  const text = codes.join('\n');
  return (
    <div className="mt-5">
      <p className="text-fg-2" role="status">
        The authenticator app is on. Keep these backup codes where you keep your passwords: each logs you in
        once when the app is not at hand. They are shown only now.
      </p>
      <ul className="mt-3 grid gap-x-4 gap-y-1 rounded-2 bg-sunken px-3 py-2.5 font-mono text-body sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="mt-2.5 flex flex-wrap gap-2">
        <CopyTextButton label="Copy codes" text={text} />
        <Button
          variant="outline"
          size="small"
          onClick={() =>
            saveFile(
              `${productName.toLowerCase()}-backup-codes.txt`,
              new Blob([`${text}\n`], { type: 'text/plain' }),
            )
          }
        >
          Download
        </Button>
      </div>
      <DialogActions>
        <Button onClick={onClose}>Done</Button>
      </DialogActions>
    </div>
  );
}
