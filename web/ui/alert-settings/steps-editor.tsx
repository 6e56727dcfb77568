import { Lock, X } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { alertStepSchema, MAX_STEPS } from '../../../contract/alerting.ts';
import { laterStepNote, sortedSteps, stepWords } from '../../lib/alerts/delivery-words.ts';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { FieldError, inputClass } from '../form/field.tsx';
import { RadioCells } from '../form/radio-cells.tsx';
import { Select, type SelectOption } from '../form/select-field.tsx';
import { StepsTable } from './steps-table.tsx';

/** The steps that a user starts with when choosing custom steps. */
const FIRST_STEPS = ['30d', '14d', '7d', '1d'];

type Unit = 'd' | '%';
const UNITS: SelectOption<Unit>[] = [
  { value: 'd', label: 'days before' },
  { value: '%', label: '% of its lifetime left' },
];

export interface StepsEditorProps {
  /** As in the contract: null means automatic. */
  value: readonly string[] | null;
  onChange: (steps: string[] | null) => void;
  /** Why custom steps cannot be chosen; the option stays visible. */
  lockedReason?: ReactNode;
  /** The lifetime of the certificate in days; null if it is not known, or for all certificates of the account. */
  lifetimeDays?: number | null;
}

/** Chooses automatic steps, or custom ones in days or percent of the lifetime. */
export function StepsEditor({ value, onChange, lockedReason, lifetimeDays = null }: StepsEditorProps) {
  const id = useId();
  // Custom steps are kept while the user looks at the automatic ones.
  const [kept, setKept] = useState<readonly string[]>(value ?? FIRST_STEPS);
  const isLocked = lockedReason !== undefined && value === null;
  const change = (steps: string[]) => {
    setKept(steps);
    onChange(steps);
  };
  return (
    <div className="grid gap-3">
      <RadioCells<'product' | 'own'>
        label="Steps"
        className="grid-cols-1 sm:grid-cols-2"
        cells={[
          { value: 'product', label: 'Automatic', note: 'Scales with the lifetime' },
          {
            value: 'own',
            label: 'Custom',
            note: isLocked ? (
              <>
                <Lock className="size-3 flex-none" strokeWidth={1.6} aria-hidden="true" />
                Premium
              </>
            ) : (
              'Days before expiry, or percent of the lifetime'
            ),
            isLocked,
          },
        ]}
        chosen={value === null ? 'product' : 'own'}
        lockedHintId={`${id}-locked`}
        onChoose={(choice) => onChange(choice === 'product' ? null : [...kept])}
      />
      {isLocked && (
        <div id={`${id}-locked`} className="text-meta text-fg-2">
          {lockedReason}
        </div>
      )}
      {value === null ? (
        <StepsTable steps={null} />
      ) : (
        <OwnSteps steps={value} onChange={change} lifetimeDays={lifetimeDays} />
      )}
    </div>
  );
}

interface OwnStepsProps {
  steps: readonly string[];
  onChange: (steps: string[]) => void;
  lifetimeDays: number | null;
}

function OwnSteps({ steps, onChange, lifetimeDays }: OwnStepsProps) {
  const id = useId();
  const amount = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [unit, setUnit] = useState<Unit>('d');
  const [error, setError] = useState<string>();
  const isFull = steps.length >= MAX_STEPS;
  const note = lifetimeDays === null ? null : laterStepNote(steps, lifetimeDays);

  const add = () => {
    const step = `${typed.trim().replace(/^0+(?=\d)/, '')}${unit}`;
    const parsed = alertStepSchema.safeParse(step);
    if (!parsed.success) setError(parsed.error.issues[0]?.message);
    else if (steps.includes(step)) setError(`“${stepWords(step)}” is already in the list`);
    else if (isFull) setError(`Choose at most ${MAX_STEPS} steps`);
    else {
      setError(undefined);
      setTyped('');
      onChange(sortedSteps([...steps, step]));
    }
    amount.current?.focus();
  };
  const remove = (step: string) => {
    if (steps.length === 1) {
      setError('Keep at least one step');
      return;
    }
    setError(undefined);
    amount.current?.focus();
    onChange(steps.filter((other) => other !== step));
  };

  return (
    <div>
      <StepList steps={steps} onRemove={remove} />
      <div className="mt-2.5 flex gap-2">
        <input
          ref={amount}
          inputMode="numeric"
          autoComplete="off"
          enterKeyHint="done"
          aria-label="Add a step"
          placeholder="21"
          value={typed}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          className={classNames(inputClass(error !== undefined), 'num max-w-20')}
          onChange={(event) => {
            setError(undefined);
            setTyped(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            add();
          }}
        />
        <Select
          label="Unit of the step"
          value={unit}
          onChange={setUnit}
          options={UNITS}
          className="max-w-52 min-w-0"
        />
        <Button variant="outline" onClick={add}>
          Add
        </Button>
      </div>
      {error !== undefined && <FieldError id={`${id}-error`}>{error}</FieldError>}
      {note !== null && <output className="num mt-2.5 block text-meta text-fg-2">{note}</output>}
      {lifetimeDays === null && (
        <div className="mt-3">
          <StepsTable steps={steps} />
        </div>
      )}
    </div>
  );
}

interface StepListProps {
  steps: readonly string[];
  onRemove: (step: string) => void;
}

function StepList({ steps, onRemove }: StepListProps) {
  return (
    <ul aria-label="Your steps" className="flex flex-wrap gap-1.5">
      {sortedSteps(steps).map((step) => (
        <li
          key={step}
          className="num flex min-h-8 items-center rounded-1 border border-line bg-sunken pl-2.5 text-label text-fg-2 max-md:min-h-11"
        >
          {stepWords(step)}
          <button
            type="button"
            aria-label={`Remove the step ${stepWords(step)}`}
            onClick={() => onRemove(step)}
            className="grid size-8 flex-none place-items-center rounded-1 text-fg-3 hover:text-fg max-md:size-11"
          >
            <X className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
          </button>
        </li>
      ))}
      <li className="flex min-h-8 items-center px-1 text-label text-fg-3 max-md:min-h-11">
        and when it expires
      </li>
    </ul>
  );
}
