import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { FieldError, inputClass } from './field.tsx';

export interface SelectFieldProps extends ComponentProps<'select'> {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/** As a Field, with one of many to choose. */
export function SelectField({ label, hint, error, className, children, ...rest }: SelectFieldProps) {
  const id = useId();
  const invalid = error !== undefined;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-label font-medium">
        {label}
      </label>
      <div className="relative">
        <select
          {...rest}
          id={id}
          aria-invalid={invalid || undefined}
          aria-describedby={invalid ? `${id}-error` : hint ? `${id}-hint` : undefined}
          // To the browser a select is always read-only.
          className={classNames(
            inputClass(invalid),
            'appearance-none bg-surface! pr-10 text-fg!',
            !invalid && 'border-control!',
          )}
        >
          {children}
        </select>
        <ChevronDown
          className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-fg-3"
          strokeWidth={1.6}
          aria-hidden="true"
        />
      </div>
      {invalid ? (
        <FieldError id={`${id}-error`}>{error}</FieldError>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="mt-1.5 text-label text-fg-3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}
