import { Check, ChevronDown } from 'lucide-react';
import { Select as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';
import { classNames } from '../class-names.ts';
import { FieldError, inputClass } from './field.tsx';

export interface SelectOption<Value extends string = string> {
  value: Value;
  label: string;
}

interface OptionGroup<Value extends string> {
  group: string;
  options: readonly SelectOption<Value>[];
}

interface SelectProps<Value extends string> {
  id?: string;
  label: string;
  /** Name of the field in its form. */
  name?: string | undefined;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly (SelectOption<Value> | OptionGroup<Value>)[];
  describedBy?: string | undefined;
  invalid?: boolean;
  className?: string;
}

const optionsOf = <Value extends string>(entry: SelectOption<Value> | OptionGroup<Value>) =>
  'group' in entry ? entry.options : [entry];

/** Shows a button with the chosen option. The button opens the list of options. Each option has a value of its own. */
export function Select<Value extends string>({
  id,
  label,
  name,
  value,
  onChange,
  options,
  describedBy,
  invalid = false,
  className,
}: SelectProps<Value>) {
  const all = options.flatMap(optionsOf);
  const choose = (chosen: string) => {
    const option = all.find((each) => each.value === chosen);
    if (option) onChange(option.value);
  };
  return (
    <Radix.Root value={value} onValueChange={choose}>
      <Radix.Trigger
        id={id}
        aria-label={id === undefined ? label : undefined}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        className={classNames(
          inputClass(),
          // Overrides the styles of read-only inputs, because CSS counts a button as read-only.
          'peer flex! items-center gap-2 bg-surface! text-left text-fg! data-[state=open]:border-fg!',
          invalid ? 'border-critical-mark!' : 'border-control!',
          className,
        )}
      >
        <span className="min-w-0 flex-1 truncate">
          <Radix.Value>{all.find((option) => option.value === value)?.label}</Radix.Value>
        </span>
        <ChevronDown className="size-4 flex-none text-fg-3" strokeWidth={1.6} aria-hidden="true" />
      </Radix.Trigger>
      {/* Radix's own form control gets its value only after the render. */}
      {name !== undefined && <input type="hidden" name={name} value={value} />}
      {/* Covers the page: while the list is open, the page's controls cannot be used. */}
      <div className="fixed inset-0 z-50 hidden peer-data-[state=open]:pointer-events-auto peer-data-[state=open]:block" />
      {/* Not in a portal, so that it stays inside its dialog or landmark. */}
      <Radix.Content
        position="popper"
        sideOffset={6}
        collisionPadding={8}
        aria-label={label}
        className="z-60 max-h-[min(20rem,var(--radix-select-content-available-height))] max-w-[calc(100vw-1rem)] min-w-(--radix-select-trigger-width) overflow-y-auto rounded-[10px] border border-line-2 bg-menu p-1 shadow-3 data-[state=open]:animate-[menu-in_120ms_ease-out]"
      >
        {/* Lets the list itself scroll, because Radix's viewport inside it has no visible scrollbar. */}
        <Radix.Viewport className="overflow-visible!">
          {options.map((entry) =>
            'group' in entry ? (
              <Radix.Group key={entry.group}>
                <Radix.Label className="px-2 pt-2 pb-1 text-meta text-fg-3">{entry.group}</Radix.Label>
                {entry.options.map((option) => (
                  <Option key={option.value} {...option} />
                ))}
              </Radix.Group>
            ) : (
              <Option key={entry.value} {...entry} />
            ),
          )}
        </Radix.Viewport>
      </Radix.Content>
    </Radix.Root>
  );
}

function Option({ value, label }: SelectOption) {
  return (
    <Radix.Item
      value={value}
      className="flex min-h-11 items-center gap-2.5 rounded-2 px-2 text-[13.5px] outline-none select-none data-[highlighted]:bg-menu-active md:min-h-[34px] forced-colors:data-[highlighted]:[outline:2px_solid_Highlight]"
    >
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <Radix.ItemText>{label}</Radix.ItemText>
      </span>
      <Radix.ItemIndicator>
        <Check className="size-4 flex-none text-fg-3" strokeWidth={1.6} aria-hidden="true" />
      </Radix.ItemIndicator>
    </Radix.Item>
  );
}

interface SelectFieldProps<Value extends string> extends Omit<
  SelectProps<Value>,
  'id' | 'describedBy' | 'invalid'
> {
  hint?: ReactNode;
  /** Error to show below the button; it replaces the hint. */
  error?: string | undefined;
}

/** Shows a Select below its label, with a hint or an error. */
export function SelectField<Value extends string>({
  hint,
  error,
  className,
  ...select
}: SelectFieldProps<Value>) {
  const id = useId();
  const invalid = error !== undefined;
  const describedBy = invalid ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-label font-medium">
        {select.label}
      </label>
      <Select {...select} id={id} describedBy={describedBy} invalid={invalid} />
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
