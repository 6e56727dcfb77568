import { useEffect, useId, useRef, useState } from 'react';
import { AUTHORITY_PEM_MAX_LENGTH, type AuthorityWire } from '../../../contract/authority.ts';
import { type CertificateText, certificateText } from '../../../contract/files/certificate-text.ts';
import { addAuthorities } from '../../../contract/calls/authority.ts';
import { call } from '../../lib/api-client.ts';
import { useWrite } from '../../lib/use-write.ts';
import { ApiError, messageOf } from '../../lib/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Form, ReversedOnPhone } from '../../ui/dialog.tsx';
import { classNames } from '../../ui/class-names.ts';
import { FieldError, inputClass } from '../../ui/form/field.tsx';
import { toast } from '../../ui/toast.tsx';

// Codes of errors that are shown at the field instead of as a toast.
const OF_THE_FIELD = ['invalid_certificate', 'too_many_authorities', 'invalid_request'];

/** Reads the certificates of a file, which may also be in DER or PKCS#7. The message of a failure names the file. */
async function certificatesOf(file: File): Promise<CertificateText> {
  // No valid file is this large.
  if (file.size > AUTHORITY_PEM_MAX_LENGTH)
    return { ok: false, message: `${file.name} is too large for a file of certificates` };
  const found = certificateText(new Uint8Array(await file.arrayBuffer()));
  return found.ok ? found : { ok: false, message: `${file.name}: ${found.message}` };
}

/** Checks typed certificates in the browser, so that a private key is never sent. */
function typedCertificates(pem: string): CertificateText {
  const typed = certificateText(new TextEncoder().encode(pem));
  if (!typed.ok || pem.includes('-----BEGIN ')) return typed;
  return {
    ok: false,
    message: 'Paste a certificate in PEM format. It starts with -----BEGIN CERTIFICATE-----',
  };
}

/** Adds certificates in PEM format, pasted or from a file. `onDone` gets all trusted authorities; null if cancelled. */
export function AddAuthority({ onDone }: { onDone: (authorities: AuthorityWire[] | null) => void }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const [pem, setPem] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const { mutate, isPending } = useWrite({
    mutationFn: () => call(addAuthorities, { body: { pem } }),
    onSuccess: onDone,
    onError: (error) => {
      if (error instanceof ApiError && error.code !== null && OF_THE_FIELD.includes(error.code))
        refuse(messageOf(error));
      else toast.failed('Could not add the authority', error);
    },
  });
  useEffect(() => field.current?.focus(), []);

  const type = (text: string) => {
    setPem(text);
    setRefusal(undefined);
  };
  const refuse = (message: string) => {
    setRefusal(message);
    field.current?.focus();
  };
  const read = async (chosen: File | undefined) => {
    if (!chosen) return;
    const found = await certificatesOf(chosen);
    if (found.ok) type(found.text);
    else setRefusal(found.message);
  };
  const add = () => {
    const entered = typedCertificates(pem);
    if (entered.ok) mutate();
    else refuse(entered.message);
  };

  return (
    <Form onSubmit={add}>
      <label htmlFor={id} className="mb-1.5 block text-label font-medium">
        Certificate in PEM format
      </label>
      <textarea
        ref={field}
        id={id}
        rows={6}
        spellCheck={false}
        autoComplete="off"
        placeholder="-----BEGIN CERTIFICATE-----"
        maxLength={AUTHORITY_PEM_MAX_LENGTH}
        value={pem}
        aria-invalid={refusal !== undefined || undefined}
        aria-describedby={refusal === undefined ? undefined : `${id}-error`}
        onChange={(event) => type(event.target.value)}
        className={classNames(inputClass(refusal !== undefined), 'resize-y py-2 font-mono md:text-label/5')}
      />
      {refusal !== undefined && <FieldError id={`${id}-error`}>{refusal}</FieldError>}
      <input
        ref={file}
        type="file"
        accept=".pem,.crt,.cer,.der,.p7b,.p7c,application/x-pem-file"
        aria-label="File of certificates"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          void read(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <div className="mt-3 flex flex-wrap gap-2 max-md:flex-col">
        <ReversedOnPhone>
          <Button variant="ghost" className="md:-ml-3.5" onClick={() => file.current?.click()}>
            Choose a file
          </Button>
          <span className="flex-1 max-md:hidden" />
          <CancelButton onClick={() => onDone(null)} />
          <Button type="submit" busy={isPending}>
            Add authority
          </Button>
        </ReversedOnPhone>
      </div>
    </Form>
  );
}
