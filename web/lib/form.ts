import { type ChangeEvent, type SubmitEvent, useRef, useState } from 'react';
import type { z } from 'zod';

type Texts<Name extends string> = Record<Name, string>;
type Errors<Name extends string> = Partial<Texts<Name>>;

/** Returns the parsed values, or the first error of each field. */
export function check<Name extends string, Output>(
  schema: z.ZodType<Output, Texts<Name>>,
  values: Texts<Name>,
): { ok: true; output: Output } | { ok: false; errors: Errors<Name> } {
  const parsed = schema.safeParse(values);
  if (parsed.success) return { ok: true, output: parsed.data };
  const errors: Errors<Name> = {};
  for (const issue of parsed.error.issues) errors[issue.path[0] as Name] ??= issue.message;
  return { ok: false, errors };
}

/** Returns the current values, including what a password manager filled in without an event. */
function valuesOf<Name extends string>(form: HTMLFormElement, initial: Texts<Name>): Texts<Name> {
  const data = new FormData(form);
  const entries = Object.keys(initial).map((name) => {
    const value = data.get(name);
    return [name, typeof value === 'string' ? value : ''];
  });
  return Object.fromEntries(entries) as Texts<Name>;
}

function focusField(form: HTMLFormElement | null, name: string | undefined): void {
  form?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.focus();
}

export interface Form<Name extends string, Output> {
  /** Returns the props of a text field: name, initial value and error. */
  field: (name: Name) => {
    name: Name;
    defaultValue: string;
    error: string | undefined;
    onChange: (event: ChangeEvent<HTMLInputElement>) => void;
  };
  /** Returns the props of a SelectField: name, value and handler. */
  choice: (name: Name) => { name: Name; value: string; onChange: (value: string) => void };
  /** The current values. */
  values: Texts<Name>;
  /** For `onSubmit`: runs `work` if everything is valid, else focuses the first invalid field. */
  submit: (work: (output: Output) => Promise<void>) => (event: SubmitEvent<HTMLFormElement>) => void;
  /** True while `work` runs. */
  busy: boolean;
  /** Shows the server's error at a field and focuses it. The error stays until the field changes; if it is empty, the field is only marked. */
  refuse: (name: Name, error: string) => void;
}

/** Manages a form of text fields, validated by `schema` at the first submit and then on every change. */
export function useForm<Name extends string, Output>(
  schema: z.ZodType<Output, Texts<Name>>,
  initial: Texts<Name>,
): Form<Name, Output> {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Errors<Name>>({});
  const [wasSubmitted, setSubmitted] = useState(false);
  const [busy, setBusy] = useState(false);
  const submitted = useRef<HTMLFormElement>(null);

  const change = (form: HTMLFormElement | null) => {
    if (!form) return;
    const current = valuesOf(form, initial);
    setValues(current);
    if (!wasSubmitted) return;
    const checked = check(schema, current);
    setErrors(checked.ok ? {} : checked.errors);
  };

  return {
    values,
    busy,
    field: (name) => ({
      name,
      defaultValue: initial[name],
      error: errors[name],
      onChange: (event) => change(event.target.form),
    }),
    choice: (name) => ({
      name,
      value: values[name],
      onChange: (value) => setValues((before) => ({ ...before, [name]: value })),
    }),
    submit: (work) => (event) => {
      event.preventDefault();
      const form = event.currentTarget;
      submitted.current = form;
      setSubmitted(true);
      const checked = check(schema, valuesOf(form, initial));
      setErrors(checked.ok ? {} : checked.errors);
      if (!checked.ok) {
        focusField(form, Object.keys(checked.errors)[0]);
        return;
      }
      setBusy(true);
      void work(checked.output).finally(() => setBusy(false));
    },
    refuse: (name, error) => {
      setErrors((before) => ({ ...before, [name]: error }));
      focusField(submitted.current, name);
    },
  };
}
