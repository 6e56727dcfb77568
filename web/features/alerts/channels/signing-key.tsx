import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/field.tsx';

/** A webhook's key, which nobody is shown again. */
export function SigningKey({ secret }: { secret: string }) {
  return (
    <div className="mt-5">
      <Field
        label="Signing key"
        aside="Shown this once"
        mono
        readOnly
        value={secret}
        hint="Keep it where your server reads it. With it a library of Standard Webhooks checks that a message is ours."
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
          How to check signatures
        </a>
      </div>
    </div>
  );
}
