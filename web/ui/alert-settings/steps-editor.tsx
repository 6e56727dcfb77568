import { Lock, X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { alertStepSchema, MAX_STEPS } from '../../../contract/alerting.ts';
import { sortedSteps, stepWords } from '../../lib/alerts/step-words.ts';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { FieldError, inputClass } from '../field.tsx';
import { RadioCells } from '../radio-cells.tsx';

/** What somebody begins with who chooses steps of their own. */
const FIRST_STEPS = ['30d', '14d', '7d', '1d'];

export interface StepsEditorProps {
  /** As in the contract: null are the product's own. */
  value: readonly string[] | null;
  onChange: (steps: string[] | null) => void;
  /** Why steps of one's own cannot be chosen; the choice stays to be seen. */
  lockedReason?: ReactNode;
}

/** The product's own steps, or those that somebody chooses, in days or in percent of the lifetime. */
export function StepsEditor({ value, onChange, lockedReason }: StepsEditorProps) {
  const id = useId();
  // Whoever looks at the product's own and comes back finds theirs.
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
          { value: 'product', label: 'Our own steps', note: 'They fit every lifetime' },
          {
            value: 'own',
            label: 'Steps you choose',
            note: isLocked ? (
              <>
                <Lock className="size-3 flex-none" strokeWidth={1.6} aria-hidden="true" />
                Premium
              </>
            ) : (
              'Days before the end, or percent'
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
        <p className="text-meta text-fg-2">
          When a renewal is overdue, then 14, 7, 3 days and 1 day before the end, and when it expires. Where a
          certificate lives shorter than 90 days, all of it is closer to the end.
        </p>
      ) : (
        <OwnSteps steps={value} onChange={change} />
      )}
    </div>
  );
}

function OwnSteps({ steps, onChange }: { steps: readonly string[]; onChange: (steps: string[]) => void }) {
  const id = useId();
  const amount = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [unit, setUnit] = useState<'d' | '%'>('d');
  const [error, setError] = useState<string>();
  const isFull = steps.length >= MAX_STEPS;

  const add = () => {
    const step = `${typed.trim().replace(/^0+(?=\d)/, '')}${unit}`;
    const parsed = alertStepSchema.safeParse(step);
    if (!parsed.success) setError(parsed.error.issues[0]?.message);
    else if (steps.includes(step)) setError(`“${stepWords(step)}” is there already`);
    else if (isFull) setError(`At most ${MAX_STEPS} steps`);
    else {
      setError(undefined);
      setTyped('');
      onChange(sortedSteps([...steps, step]));
    }
    amount.current?.focus();
  };
  const remove = (step: string) => {
    if (steps.length === 1) {
      setError('One step has to stay');
      return;
    }
    setError(undefined);
    amount.current?.focus();
    onChange(steps.filter((other) => other !== step));
  };

  return (
    <div>
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
              onClick={() => remove(step)}
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
        <select
          aria-label="Unit of the step"
          value={unit}
          className={classNames(inputClass(), 'max-w-52 min-w-0 border-control! bg-surface! text-fg!')}
          onChange={(event) => setUnit(event.target.value === '%' ? '%' : 'd')}
        >
          <option value="d">days before</option>
          <option value="%">% of its lifetime left</option>
        </select>
        <Button variant="outline" onClick={add}>
          Add
        </Button>
      </div>
      {error !== undefined && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}
