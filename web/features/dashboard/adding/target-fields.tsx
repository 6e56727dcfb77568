import { useEffect, useRef } from 'react';
import { NO_SERVER_NAME, TARGET_LABELS, type TargetField } from '../../../../contract/check-words.ts';
import { Field } from '../../../ui/form/field.tsx';
import { LITERAL } from '../../../ui/form/search-field.tsx';
import { SelectField } from '../../../ui/form/select-field.tsx';
import type { TypedTarget } from './use-add-domain.ts';

interface TargetFieldsProps {
  target: TypedTarget;
  /** The field that was refused, and why. */
  error: { field: string; message: string } | undefined;
  onType: (field: TargetField, text: string) => void;
}

const BOTH = 'both';

/** Asks how exactly a domain is checked; everything is optional. */
export function TargetFields({ target, error, onType }: TargetFieldsProps) {
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const text = (field: TargetField, placeholder: string, hint: string) => (
    <Field
      label={TARGET_LABELS[field]}
      name={field}
      mono
      placeholder={placeholder}
      {...LITERAL}
      inputMode={field === 'expected_status' ? undefined : 'url'}
      hint={hint}
      value={target[field] ?? ''}
      error={error?.field === field ? error.message : undefined}
      onChange={(event) => onType(field, event.target.value)}
    />
  );
  return (
    <div ref={fields} className="mt-1.5 grid items-start gap-4 md:grid-cols-2">
      <div className="md:col-span-2">
        {text(
          'connect_to',
          '10.0.0.7:8443',
          'Another address or name to connect to, such as one server behind a load balancer.',
        )}
      </div>
      {text(
        'server_name',
        'other.example.com',
        `Sent in the handshake (SNI). Type ${NO_SERVER_NAME} to send no name.`,
      )}
      {text('verify_name', 'other.example.com', 'The name that the certificate must be valid for.')}
      {text('expected_status', '200-399,401', 'The HTTP statuses that count as up. Usually all but 500–599.')}
      <SelectField
        label={TARGET_LABELS.family}
        name="family"
        value={target.family ?? BOTH}
        error={error?.field === 'family' ? error.message : undefined}
        onChange={(family) => onType('family', family === BOTH ? '' : family)}
        options={[
          { value: BOTH, label: 'IPv4 and IPv6' },
          { value: '4', label: 'IPv4 only' },
          { value: '6', label: 'IPv6 only' },
        ]}
      />
    </div>
  );
}
