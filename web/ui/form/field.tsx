import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { Eye, EyeOff } from 'lucide-react';
import { classNames } from '../class-names.ts';
import { Glyph } from '../glyph.tsx';
import { IconButton } from '../button.tsx';

/** Returns the classes of a text input: 40 px high; below 720 px 44 px with 16 px text (smaller text makes iOS zoom in). */
export function inputClass(invalid = false): string {
  return classNames(
    'block min-h-11 w-full rounded-2 border bg-surface px-3 text-base/6 text-fg md:min-h-10 md:text-body',
    'read-only:border-line-2 read-only:bg-sunken read-only:text-fg-2 disabled:text-fg-3',
    invalid ? 'border-critical-mark' : 'border-control',
  );
}

export interface FieldProps extends ComponentProps<'input'> {
  label: string;
  /** Small text at the right of the label, such as 'Optional'. */
  aside?: string;
  hint?: ReactNode;
  /** Shown below the input, which refers to it. Empty: the input is only marked. */
  error?: ReactNode;
  mono?: boolean;
  /** Content over the right end of the input. */
  trailing?: ReactNode;
}

/** Shows a labelled input with hint and error. */
export function Field({
  label,
  aside,
  hint,
  error,
  mono = false,
  trailing,
  className,
  id,
  ...rest
}: FieldProps) {
  const ownId = useId();
  const inputId = id ?? ownId;
  const invalid = error != null;
  const describedBy = error ? `${inputId}-error` : hint ? `${inputId}-hint` : undefined;
  return (
    <div className={className}>
      <div className="mb-1.5 flex justify-between gap-3 text-label">
        <label htmlFor={inputId} className="font-medium">
          {label}
        </label>
        {aside && <span className="text-fg-3">{aside}</span>}
      </div>
      <div className="relative">
        <input
          {...rest}
          id={inputId}
          aria-invalid={invalid || undefined}
          aria-describedby={describedBy}
          className={classNames(inputClass(invalid), mono && 'font-mono', trailing !== undefined && 'pr-12')}
        />
        {trailing}
      </div>
      {error ? (
        <FieldError id={`${inputId}-error`}>{error}</FieldError>
      ) : (
        hint && (
          <p id={`${inputId}-hint`} className="mt-1.5 text-label text-fg-3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

/** Shows the error of an input, announced when it appears. */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="mt-1.5 flex gap-1.5 text-label text-critical-fg">
      <Glyph name="critical" className="mt-0.5 size-3.5 [--glyph-cut:var(--surface)]" />
      {children}
    </p>
  );
}

/** Shows a password field with a show/hide toggle. */
export function PasswordField(props: Omit<FieldProps, 'type' | 'trailing'>) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <Field
      {...props}
      type={shown ? 'text' : 'password'}
      trailing={
        <IconButton
          label="Show password"
          aria-pressed={shown}
          className="absolute top-0 right-0 md:top-1 md:right-1"
          onClick={() => setShown(!shown)}
        >
          <Icon className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      }
    />
  );
}
