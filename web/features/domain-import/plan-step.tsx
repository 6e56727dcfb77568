import { useEffect, useId, useState } from 'react';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useUpgrade } from '../../lib/account/plan.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/form/checkbox-line.tsx';
import { CopyTextButton } from '../../ui/copy-button.tsx';
import { DialogActions } from '../../ui/dialog.tsx';
import { Field, FieldError } from '../../ui/form/field.tsx';
import { ProgressBar } from '../../ui/loading.tsx';
import { typedTags } from '../../domain/typed-tags.ts';
import { useWarnBeforeLeaving } from '../../domain/in-batches.ts';
import {
  countFates,
  type Fate,
  isProblem,
  notAdded,
  type PlannedLine,
  remaining,
  type Results,
} from './import-plan.ts';
import { LineList } from './line-list.tsx';
import { type ImportState, useImport } from './use-import.ts';
import { counted, grouped, plural } from '../../lib/format.ts';

const FATE_WORDS: Record<Fate['kind'], string> = {
  new: 'will be added',
  exists: 'already tracked',
  repeated: 'duplicate',
  beyond: 'over the plan’s limit',
  invalid: 'not valid',
  skipped: 'skipped',
};

interface PlanStepProps {
  plan: readonly PlannedLine[];
  /** Says what was recognised in the input. */
  source: string;
  onBack: () => void;
  /** Called when the user closes a finished import. */
  onFinish: () => void;
  /** Closes the dialog and keeps the input. */
  onLeave: () => void;
  onRunning: (isRunning: boolean) => void;
}

/** Shows the preview, then the progress and results. */
export function PlanStep({ plan, source, onBack, onFinish, onLeave, onRunning }: PlanStepProps) {
  const { state, results, waiting, run, pause } = useImport(plan);
  const [onlyProblems, setOnlyProblems] = useState(false);
  const [tags, setTags] = useState('');
  const [tagError, setTagError] = useState<string>();
  const id = useId();

  const wanted = plan.filter(({ fate }) => fate.kind === 'new').length;
  const left = remaining(plan, results).length;
  const hasStarted = state.kind === 'running' || state.kind === 'paused' || state.kind === 'broken';
  const problems = plan.flatMap((line, index) => (isProblem(line, results.get(index)) ? [index] : []));
  const shown = onlyProblems ? problems : plan.map((_, index) => index);

  const isRunning = state.kind === 'running';
  useEffect(() => onRunning(hasStarted), [onRunning, hasStarted]);
  useWarnBeforeLeaving(isRunning);
  const start = () => {
    const typed = typedTags(tags);
    if (!typed.ok) setTagError(typed.error);
    else run(typed.tags);
  };

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
      {state.kind === 'ready' && <p className="num mt-1 text-label text-fg-3">{source}</p>}
      {state.kind === 'broken' && (
        <FieldError>
          {state.message.replace(/[.!]$/, '')}. Domains added so far stay, and the rest is still in the list.
        </FieldError>
      )}
      {hasStarted && <Progress done={wanted - left} wanted={wanted} waiting={waiting} />}
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
          label="Tags for all domains"
          aside="Optional"
          hint="Separate tags with commas."
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
      <PlanActions
        kind={state.kind}
        wanted={wanted}
        lost={notAdded(plan, results)}
        onStart={start}
        onPause={pause}
        onBack={onBack}
        onFinish={onFinish}
        onLeave={onLeave}
      />
    </>
  );
}

interface PlanActionsProps extends Pick<PlanStepProps, 'onBack' | 'onFinish' | 'onLeave'> {
  kind: ImportState['kind'];
  /** How many domains the import would add. */
  wanted: number;
  /** The lines that were not added, as text. */
  lost: string;
  onStart: () => void;
  onPause: () => void;
}

function PlanActions({ kind, wanted, lost, onStart, onPause, onBack, onFinish, onLeave }: PlanActionsProps) {
  const isReady = kind === 'ready';
  return (
    <DialogActions>
      {lost !== '' && kind !== 'running' && !isReady && (
        <div className="md:mr-auto md:self-center max-md:[&>button]:w-full">
          <CopyTextButton label="Copy lines not added" text={lost} />
        </div>
      )}
      {isReady && (
        <Button variant="outline" onClick={onBack}>
          Back
        </Button>
      )}
      {isReady && wanted > 0 && <Button onClick={onStart}>Add {counted(wanted, 'domain')}</Button>}
      {kind === 'running' && (
        <Button variant="outline" onClick={onPause}>
          Pause
        </Button>
      )}
      {(kind === 'paused' || kind === 'broken') && (
        <>
          <Button variant="outline" onClick={onLeave}>
            Stop
          </Button>
          <Button onClick={onStart}>{kind === 'paused' ? 'Continue' : 'Try again'}</Button>
        </>
      )}
      {(kind === 'done' || (wanted === 0 && isReady)) && <Button onClick={onFinish}>Close</Button>}
    </DialogActions>
  );
}

interface ProgressProps {
  done: number;
  wanted: number;
  /** Seconds that the server asked us to wait; null otherwise. */
  waiting: number | null;
}

function Progress({ done, wanted, waiting }: ProgressProps) {
  return (
    <div className="mt-3">
      <ProgressBar label="Adding domains" value={done} max={wanted} />
      {waiting !== null && (
        <p className="mt-1.5 text-label text-fg-3">
          The server asked us to wait {waiting} s. The import then continues.
        </p>
      )}
    </div>
  );
}

/** Moves focus to the heading: the element that had it was unmounted. */
function takeFocus(head: HTMLElement | null): void {
  head?.focus();
}

/** Explains the plan's limit, with an upgrade button if Premium is sold. */
function LimitLine({ plan, onUpgrade }: { plan: readonly PlannedLine[]; onUpgrade: () => void }) {
  const { limits } = usePublicConfig();
  const { isSold, open } = useUpgrade();
  const beyond = plan.filter(({ fate }) => fate.kind === 'beyond').length;
  if (beyond === 0) return null;
  const domains = plural(limits.free_domains, 'domain');
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-3 bg-soon-bg px-3.5 py-2.5 text-label text-soon-fg">
      <p className="min-w-0 flex-1 basis-[240px]">
        The Free plan tracks {grouped(limits.free_domains)} {domains}. {grouped(beyond)} of these{' '}
        {plural(beyond, 'does', 'do')} not fit.
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

/** Returns '9 will be added · 1 already tracked · 2 not valid'. */
function planLine(plan: readonly PlannedLine[]): string {
  return [...countFates(plan)].map(([kind, count]) => `${grouped(count)} ${FATE_WORDS[kind]}`).join(' · ');
}

/** Returns '100 of 900 added · 2 refused'. */
function resultLine(plan: readonly PlannedLine[], results: Results): string {
  const wanted = plan.filter(({ fate }) => fate.kind === 'new').length;
  const kinds = [...results.values()].map(({ kind }) => kind);
  const added = kinds.filter((kind) => kind === 'added').length;
  const refused = kinds.filter((kind) => kind === 'failed').length;
  const line = `${grouped(added)} of ${grouped(wanted)} added`;
  return refused === 0 ? line : `${line} · ${grouped(refused)} refused`;
}
