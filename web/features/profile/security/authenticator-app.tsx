import { useState } from 'react';
import { encode } from 'uqr';
import { disableTotp, enableTotp, verifyTotp } from '../../../../contract/calls/identity.ts';
import { call } from '../../../lib/api-client.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { DialogActions, Form } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { saveFile } from '../../../lib/browser/save-file.ts';
import { FreshSignInDialog } from './fresh-sign-in.tsx';

// The authenticator app is the second step after the password, so only the password is accepted to change it.
const BY_PASSWORD = { password: true, passkey: false, providers: [] };

interface AuthenticatorSetup {
  /** `otpauth:` URI for authenticator apps. */
  address: string;
  /** The app's secret in Base32, for typing. */
  secret: string;
  /** Backup codes; each works once. */
  backupCodes: string[];
}

/** Starts the setup of an authenticator app. The account does not change until a code of the app is confirmed. */
async function beginSetup(password: string): Promise<AuthenticatorSetup> {
  const { totpURI: address, backupCodes } = await call(enableTotp, { body: { password } });
  const secret = new URL(address).searchParams.get('secret') ?? '';
  return { address, secret, backupCodes };
}

/** Sets up or turns off the authenticator app. */
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
        The authenticator app works with a password, and your account has none. Use Reset Password to set one.
      </p>
    );
  const close = () => setOpen(null);
  return (
    <>
      {isOn ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-fg-2">On. We ask for a code when you log in with your password.</p>
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
        methods={BY_PASSWORD}
        act={(password) => call(disableTotp, { body: { password } })}
        onDone={() => {
          close();
          toast.success('Authenticator app turned off.');
          onChanged();
        }}
      />
      <FreshSignInDialog
        open={open === 'set up'}
        onOpenChange={close}
        title="Set up an authenticator app"
        description="We will ask for a code from the app when you log in with your password."
        methods={BY_PASSWORD}
        act={beginSetup}
      >
        {(setup) => <Setup setup={setup} onOn={onChanged} onClose={close} />}
      </FreshSignInDialog>
    </>
  );
}

/** Groups the secret by four characters for typing. */
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
  const { mutate, isPending } = useWrite({
    mutationFn: () => call(verifyTotp, { body: { code: code.trim() } }),
    onSuccess: onConfirmed,
    onError: (error) => setRefusal(messageOf(error)),
  });
  const confirm = () => {
    if (code.trim() === '') setRefusal('Please enter the code');
    else mutate();
  };

  return (
    <Form className="mt-5 grid gap-4" onSubmit={confirm}>
      <div>
        <p className="text-fg-2">
          1. Scan this code with your authenticator app. You can also type the key, or open the app on this
          device.
        </p>
        <QrCode text={setup.address} label="QR code for the authenticator app" />
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
        label="2. Enter the code from the app"
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        mono
        value={code}
        onChange={(event) => setCode(event.target.value)}
        error={refusal}
      />
      <Button type="submit" size="form" className="w-full" busy={isPending}>
        Turn on
      </Button>
    </Form>
  );
}

/** Draws a QR code (ISO/IEC 18004): black on white in both themes, because some cameras read no inverted ones. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto mt-3 block size-48 rounded-2 bg-white forced-color-adjust-none"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}

function BackupCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { product_name: productName } = usePublicConfig();
  const text = codes.join('\n');
  return (
    <div className="mt-5">
      <p className="text-fg-2" role="status">
        The authenticator app is on. Keep these backup codes where you keep your passwords: each logs you in
        once if you don’t have the app with you. We show them only now.
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
