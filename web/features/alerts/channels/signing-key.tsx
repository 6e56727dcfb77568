import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/form/field.tsx';

/** Shows a webhook's signing key, which is shown only once. */
export function SigningKey({ secret }: { secret: string }) {
  return (
    <div className="mt-5">
      <Field
        label="Signing key"
        aside="Shown only once"
        mono
        readOnly
        value={secret}
        hint="Store it on your server. Standard Webhooks libraries use it to verify that a message comes from us."
        onFocus={(event) => event.target.select()}
      />
      <div className="mt-2.5 flex flex-wrap items-center gap-x-4 gap-y-1">
        <CopyTextButton label="Copy the key" text={secret} />
        <a
          href="https://www.standardwebhooks.com"
          target="_blank"
          rel="noreferrer"
          className="link inline-flex min-h-11 items-center text-label md:min-h-8"
        >
          How to verify signatures
        </a>
      </div>
    </div>
  );
}
