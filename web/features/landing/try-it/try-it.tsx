import { useEffect, useId, useRef, useState } from 'react';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { FieldError, inputClass } from '../../../ui/form/field.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { Spinner } from '../../../ui/loading.tsx';
import { SECTION_TITLE } from '../section-parts.tsx';
import { usePreviewCheck } from './use-preview-check.ts';

// Most checks are faster; a host that is down takes longer.
const LONG_MS = 3_000;

/** Checks any host without an account. */
export function TryIt() {
  const { try_it: isOffered } = usePublicConfig();
  if (!isOffered) return null;
  return (
    <section
      data-needs-script=""
      className="wrap grid gap-6 pt-14 md:pt-[72px] xl:grid-cols-[1fr_776px]"
      aria-labelledby="try-it"
    >
      <div>
        <h2 id="try-it" tabIndex={-1} className={SECTION_TITLE}>
          Check any host
        </h2>
        <p className="mt-2.5 text-lead text-fg-2 xl:max-w-[320px]">
          The full report in seconds. No account, nothing stored.
        </p>
      </div>
      <TryItBox />
    </section>
  );
}

function TryItBox() {
  const [host, setHost] = useState('');
  const { check, start, forgetRefusal, prepare } = usePreviewCheck();
  const input = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const refusal = check.stage === 'refused' ? check.message : undefined;
  return (
    <div className="min-w-0 rounded-5 border border-line bg-surface p-5 shadow-1 md:p-8">
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          start(host);
          input.current?.focus();
        }}
      >
        <label htmlFor={id} className="mb-1.5 block text-label font-medium">
          Type a hostname
        </label>
        <div className="flex flex-col gap-2 md:flex-row md:items-start">
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
            value={host}
            aria-invalid={refusal !== undefined || undefined}
            aria-describedby={refusal === undefined ? undefined : `${id}-error`}
            onFocus={prepare}
            onChange={(event) => {
              setHost(event.target.value);
              forgetRefusal();
            }}
            className={classNames(inputClass(refusal !== undefined), 'min-w-0 flex-1 font-mono md:min-h-11')}
          />
          <Button type="submit" busy={check.stage === 'running'} className="min-h-11! px-6 text-lead">
            Check
          </Button>
        </div>
        {refusal !== undefined && <FieldError id={`${id}-error`}>{refusal}</FieldError>}
      </form>
      <output className="block">
        {check.stage === 'running' && <Running key={check.host} host={check.host} />}
      </output>
      {check.stage === 'failed' && (
        <div
          role="alert"
          className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-3 border-t border-line pt-5"
        >
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
      {check.stage === 'done' && (
        <check.Report
          key={check.at}
          result={check.result}
          typed={check.host}
          now={check.at}
          // Does not move the focus of a visitor who types the next name or went on reading.
          isAwaited={() =>
            host.trim() === check.host &&
            (document.activeElement === document.body ||
              form.current?.contains(document.activeElement) === true)
          }
        />
      )}
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
    <span className="mt-5 flex gap-2.5 border-t border-line pt-5 text-fg-2">
      <Spinner className="mt-0.5 flex-none" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {isLong
          ? `Still checking: we connect to every address of ${host}, and some respond slowly.`
          : `Checking ${host} …`}
      </span>
    </span>
  );
}
