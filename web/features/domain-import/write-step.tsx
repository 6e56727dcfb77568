import { FileText, X } from 'lucide-react';
import { type ReactNode, type RefObject, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import type { DecodedFile } from '../../../contract/files/file-text.ts';
import { messageOf } from '../../lib/api-error.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CancelButton, DialogActions, Form } from '../../ui/dialog.tsx';
import { FieldError, inputClass } from '../../ui/form/field.tsx';
import { LITERAL } from '../../ui/form/search-field.tsx';
import { ProgressBar } from '../../ui/loading.tsx';
import type { PlannedLine } from './import-plan.ts';
import { parseImport, readImportFile } from './parse-import.ts';
import { usePreview } from './use-preview.ts';
import { recognisedText } from './parsed-import.ts';

const NOTHING = 'Paste a list of hosts, CSV, JSON or an Uptime Kuma backup. Up to 10,000 hosts at once.';

interface WriteStepProps {
  text: string;
  onType: (text: string) => void;
  /** `source`: what was recognised in the input. */
  onPlan: (plan: PlannedLine[], source: string) => void;
  onCancel: () => void;
}

const PLACEHOLDER = ['shop.example.com', 'https://www.example.org', 'mail.example.com:993  # IMAP'].join(
  '\n',
);

/** Holds the chosen file, which replaces the pasted text, or the reason why it cannot be read. */
function useChosenFile() {
  const [file, setFile] = useState<(DecodedFile & { name: string }) | null>(null);
  const [error, setError] = useState<string | null>(null);
  const take = async (chosen: File | undefined) => {
    if (!chosen) return;
    setError(null);
    try {
      const read = await readImportFile(chosen);
      if ('message' in read) setError(`${chosen.name}: ${read.message}`);
      else setFile({ name: chosen.name, ...read });
    } catch (failure) {
      setError(`Could not read ${chosen.name}: ${messageOf(failure)}`);
    }
  };
  return {
    file,
    error,
    take: (chosen: File | undefined) => void take(chosen),
    drop: () => setFile(null),
    clearError: () => setError(null),
  };
}

/** Takes pasted text or a file, and shows at once what was recognised. */
export function WriteStep({ text, onType, onPlan, onCancel }: WriteStepProps) {
  const { file, take, ...chosen } = useChosenFile();
  const [wasEmpty, setWasEmpty] = useState(false);
  const { ask, asked, error } = usePreview();
  const chooser = useRef<HTMLInputElement>(null);
  const id = useId();

  const content = useDeferredValue(file?.text ?? text);
  const parsed = useMemo(() => parseImport(content), [content]);
  const trouble =
    chosen.error ??
    (parsed.ok ? error : parsed.message) ??
    (wasEmpty && content.trim() === '' ? 'Please enter a valid host address' : null);
  const isBusy = asked !== null;
  const submit = () => {
    const now = parseImport(file?.text ?? text);
    setWasEmpty(now.ok && now.lines.length === 0);
    if (now.ok && now.lines.length > 0)
      ask(now.lines, (plan) => onPlan(plan, recognisedText(now, file?.encoding)));
  };

  return (
    <Form onSubmit={submit}>
      <label htmlFor={id} className="mt-[18px] mb-1.5 block text-label font-medium">
        Hosts
      </label>
      <DropTarget onFile={take}>
        {file ? (
          <ChosenFile id={id} name={file.name} onRemove={chosen.drop} />
        ) : (
          <textarea
            id={id}
            rows={7}
            value={text}
            placeholder={PLACEHOLDER}
            {...LITERAL}
            wrap="off"
            readOnly={isBusy}
            aria-invalid={trouble !== null || undefined}
            aria-describedby={`${id}-said`}
            onChange={(event) => {
              onType(event.target.value);
              chosen.clearError();
            }}
            className={classNames(
              inputClass(trouble !== null),
              'min-h-[168px]! resize-y py-2.5 font-mono leading-6!',
            )}
          />
        )}
      </DropTarget>
      <div id={`${id}-said`}>
        {trouble !== null ? (
          <FieldError>{trouble}</FieldError>
        ) : (
          <p className="num mt-1.5 text-label text-fg-3">
            {parsed.ok && parsed.lines.length > 0 ? recognisedText(parsed, file?.encoding) : NOTHING}
          </p>
        )}
      </div>
      {asked !== null && parsed.ok && (
        <div className="mt-4">
          <ProgressBar label="Checking the lines" value={asked} max={parsed.lines.length} />
        </div>
      )}
      <FileInput ref={chooser} onFile={take} />
      <DialogActions>
        <Button
          variant="outline"
          className="md:mr-auto"
          disabled={isBusy}
          onClick={() => chooser.current?.click()}
        >
          Choose a file
        </Button>
        <CancelButton onClick={onCancel} />
        <Button type="submit" busy={isBusy}>
          Preview
        </Button>
      </DialogActions>
    </Form>
  );
}

function ChosenFile({ id, name, onRemove }: { id: string; name: string; onRemove: () => void }) {
  return (
    <div className="flex min-h-[168px] items-center justify-center rounded-2 border border-dashed border-line-2 bg-sunken px-4">
      <p id={id} className="flex min-w-0 items-center gap-2.5 text-body">
        <FileText className="size-4 flex-none text-fg-3" strokeWidth={1.6} aria-hidden="true" />
        <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <X className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      </p>
    </div>
  );
}

interface FileTargetProps {
  onFile: (file: File | undefined) => void;
}

/** Accepts a file that is dropped on its children. A button offers the same to keyboard users. */
function DropTarget({ onFile, children }: FileTargetProps & { children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFile(event.dataTransfer.files[0]);
      }}
      className="relative"
    >
      {children}
      {isOver && (
        <div className="pointer-events-none absolute inset-0 grid place-items-center rounded-2 border-2 border-dashed border-primary bg-accent-soft text-body font-medium text-accent-fg">
          Drop the file here
        </div>
      )}
    </div>
  );
}

function FileInput({ ref, onFile }: FileTargetProps & { ref: RefObject<HTMLInputElement | null> }) {
  return (
    <input
      ref={ref}
      type="file"
      hidden
      accept=".csv,.tsv,.txt,.json,text/plain,text/csv,application/json"
      aria-label="Choose a file"
      onChange={(event) => {
        onFile(event.target.files?.[0]);
        // Clears the input, so that the same file can be chosen again after it was removed.
        event.target.value = '';
      }}
    />
  );
}
