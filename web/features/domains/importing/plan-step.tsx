import { useEffect, useId, useState } from 'react';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { inWords, inWordsCapitalised } from '../../../lib/number-words.ts';
import { useUpgrade } from '../../../lib/upgrade.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { typedTags } from '../typed-tags.ts';
import { useWarnBeforeLeaving } from '../use-warn-before-leaving.ts';
import { isProblem, notAdded, remaining } from './import-plan.ts';
import type { PlannedLine } from './import-plan.ts';
import { LineList } from './line-list.tsx';
import { planLine, resultLine } from './plan-line.ts';
import { useImport } from './use-import.ts';

interface PlanStepProps {
  plan: readonly PlannedLine[];
  onBack: () => void;
  /** All is seen through. */
  onFinish: () => void;
  /** For now; what was pasted is kept. */
  onLeave: () => void;
  onRunning: (isRunning: boolean) => void;
}

/** What will become of each line, and then what became of it. */
export function PlanStep({ plan, onBack, onFinish, onLeave, onRunning }: PlanStepProps) {
  const { state, results, waiting, run, pause } = useImport(plan);
  const [onlyProblems, setOnlyProblems] = useState(false);
  const [tags, setTags] = useState('');
  const [tagError, setTagError] = useState<string>();
  const id = useId();

  const wanted = plan.filter(({ fate }) => fate.kind === 'new').length;
  const left = remaining(plan, results).length;
  const isUnderWay = state.kind === 'running' || state.kind === 'paused' || state.kind === 'broken';
  const isDone = state.kind === 'done' || (wanted === 0 && state.kind === 'ready');
  const problems = plan.flatMap((line, index) => (isProblem(line, results.get(index)) ? [index] : []));
  const shown = onlyProblems ? problems : plan.map((_, index) => index);

  const isRunning = state.kind === 'running';
  useEffect(() => onRunning(isUnderWay), [onRunning, isUnderWay]);
  useWarnBeforeLeaving(isRunning);
  const start = () => {
    const typed = typedTags(tags);
    if (!typed.ok) setTagError(typed.error);
    else run(typed.tags);
  };
  const lost = notAdded(plan, results);

  return (
    <>
      <p
        key={state.kind}
        ref={takeFocus}
        tabIndex={-1}
        className="num mt-4 text-body font-medium outline-none"
      >
        {state.kind === 'ready' ? planLine(plan) : resultLine(plan, results)}
      </p>
      {state.kind === 'broken' && (
        <p role="alert" className="mt-1.5 flex gap-1.5 text-label text-critical-fg">
          <Glyph name="critical" className="mt-0.5 size-3.5 [--glyph-cut:var(--surface)]" />
          {state.message.replace(/[.!]$/, '')}. What was added stays; nothing of the rest is lost.
        </p>
      )}
      {isUnderWay && (
        <div className="mt-3">
          <ProgressBar label="Adding" value={wanted - left} max={wanted} />
          {waiting !== null && (
            <p className="mt-1.5 text-label text-fg-3">
              The server asked to wait {waiting} s. It goes on by itself.
            </p>
          )}
        </div>
      )}
      <div className="mt-4 mb-2 flex min-h-6 items-center justify-between gap-3 text-label">
        <label htmlFor={`${id}-only`} className="flex items-center gap-2 max-md:min-h-11">
          <Checkbox
            id={`${id}-only`}
            checked={onlyProblems}
            onChange={(event) => setOnlyProblems(event.target.checked)}
          />
          Only problems <span className="num text-fg-3">{problems.length}</span>
        </label>
      </div>
      <LineList plan={plan} results={results} shown={shown} isRunning={isRunning} />
      <LimitLine plan={plan} onUpgrade={onLeave} />
      {state.kind === 'ready' && wanted > 0 && (
        <Field
          className="mt-4"
          label="Tags for all of them"
          aside="Optional"
          hint="Separate several with commas."
          autoComplete="off"
          autoCapitalize="none"
          value={tags}
          error={tagError}
          onChange={(event) => {
            setTags(event.target.value);
            setTagError(undefined);
          }}
        />
      )}
      <DialogActions>
        {lost !== '' && !isRunning && state.kind !== 'ready' && (
          <div className="md:mr-auto md:self-center max-md:[&>button]:w-full">
            <CopyTextButton label="Copy what was not added" text={lost} />
          </div>
        )}
        {state.kind === 'ready' && (
          <Button variant="outline" onClick={onBack}>
            Back
          </Button>
        )}
        {state.kind === 'ready' && wanted > 0 && (
          <Button onClick={start}>
            {wanted === 1 ? 'Add One Domain' : `Add ${wanted.toLocaleString('en-GB')} Domains`}
          </Button>
        )}
        {isRunning && (
          <Button variant="outline" onClick={pause}>
            Pause
          </Button>
        )}
        {(state.kind === 'paused' || state.kind === 'broken') && (
          <>
            <Button variant="outline" onClick={onLeave}>
              Stop
            </Button>
            <Button onClick={start}>{state.kind === 'paused' ? 'Go On' : 'Try Again'}</Button>
          </>
        )}
        {isDone && <Button onClick={onFinish}>Close</Button>}
      </DialogActions>
    </>
  );
}

/** Where the focus was is gone: the form before this step, or the button that began the run. */
function takeFocus(head: HTMLElement | null): void {
  head?.focus();
}

/** Why some do not fit, and the way to more room where it is sold. */
function LimitLine({ plan, onUpgrade }: { plan: readonly PlannedLine[]; onUpgrade: () => void }) {
  const { limits } = usePublicConfig();
  const { isSold, open } = useUpgrade();
  const beyond = plan.filter(({ fate }) => fate.kind === 'beyond').length;
  if (beyond === 0) return null;
  const domains = limits.free_domains === 1 ? 'domain' : 'domains';
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-3 bg-soon-bg px-3.5 py-2.5 text-label text-soon-fg">
      <p className="min-w-0 flex-1 basis-[240px]">
        Free tracks {inWords(limits.free_domains)} {domains}. {inWordsCapitalised(beyond)} of these{' '}
        {beyond === 1 ? 'does' : 'do'} not fit.
      </p>
      {isSold && (
        <Button
          variant="tinted"
          size="small"
          onClick={() => {
            onUpgrade();
            open('limit');
          }}
        >
          Upgrade to Premium
        </Button>
      )}
    </div>
  );
}
