import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { FieldError, inputClass } from '../../../ui/form/field.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import type { usePreviewCheck } from './use-preview-check.ts';

// Time in ms after which the form says that the check takes long, as it does if the host is down.
const LONG_MS = 3_000;
/** Classes of the line below the input. The progress replaces the hint in it, so that nothing moves. */
const HINT = 'mt-1.5 block text-label text-fg-3 [overflow-wrap:anywhere] max-sm:min-h-9';

interface TryItProps {
  preview: ReturnType<typeof usePreviewCheck>;
}

/** Checks any host without an account; the report is shown elsewhere. */
export function TryItForm({ preview: { check, type, start, prepare } }: TryItProps) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const refusal = check.stage === 'refused' ? check.message : undefined;
  return (
    <div className="min-w-0 flex-1 md:max-w-[520px]">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          start(input.current?.value ?? '');
          input.current?.focus();
        }}
      >
        <label htmlFor={id} className="mb-1.5 block text-label font-medium">
          Check any host
        </label>
        <div className="flex gap-2 max-sm:flex-col">
          {/* React does not control the input's value, so that text which was typed before the page's code ran stays. */}
          <input
            ref={input}
            id={id}
            name="host"
            placeholder="shop.example.com"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            inputMode="url"
            enterKeyHint="go"
            aria-invalid={refusal !== undefined || undefined}
            aria-describedby={refusal === undefined ? `${id}-hint` : `${id}-error`}
            onFocus={prepare}
            onChange={(event) => type(event.target.value)}
            className={classNames(inputClass(refusal !== undefined), 'min-w-0 flex-1 font-mono md:min-h-12')}
          />
          <Button
            type="submit"
            variant="outline"
            busy={check.stage === 'running'}
            className="min-h-12! px-6 text-lead"
          >
            Check
          </Button>
        </div>
        {refusal === undefined ? (
          <p id={`${id}-hint`} className={classNames(HINT, check.stage === 'running' && 'hidden')}>
            The full report in seconds. No account, nothing stored.
          </p>
        ) : (
          <FieldError id={`${id}-error`}>{refusal}</FieldError>
        )}
      </form>
      <output className="block">
        {check.stage === 'running' && <Running key={check.host} host={check.host} />}
      </output>
      {check.stage === 'failed' && (
        <div role="alert" className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-3">
          <Glyph name="critical" className="size-4 text-critical-mark [--glyph-cut:var(--surface)]" />
          <p className="min-w-0 flex-1 basis-52 [overflow-wrap:anywhere]">
            <b className="block font-semibold">Could not check {check.host}</b>
            <span className="text-fg-2">{check.message}</span>
          </p>
          <Button variant="outline" onClick={() => start(check.host)}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** Shows the report of the last check. */
export function TryItReport({ preview: { check, host } }: TryItProps) {
  if (check.stage !== 'done') return null;
  return (
    <div className="wrap pt-8 md:pt-12">
      <div className="mx-auto max-w-[776px] rounded-5 border border-line bg-surface p-5 shadow-1 md:p-8">
        <check.Report
          key={check.at}
          result={check.result}
          typed={check.host}
          now={check.at}
          // The focus does not move if the visitor is typing the next name or reading on.
          isAwaited={() =>
            host.trim() === check.host &&
            (document.activeElement === document.body || document.activeElement?.closest('form') !== null)
          }
        />
      </div>
    </div>
  );
}

function Running({ host }: { host: string }) {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <span className={HINT}>
      {isLong ? `Still checking ${host}: some of its addresses respond slowly.` : `Checking ${host} …`}
    </span>
  );
}
