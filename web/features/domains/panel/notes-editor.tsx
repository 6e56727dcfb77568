import { useId } from 'react';
import type { FormEvent } from 'react';
import { NOTES_MAX_LENGTH } from '../../../../contract/words.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useDraft } from '../../../lib/draft.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { FieldError, inputClass } from '../../../ui/field.tsx';
import { useDescribeDomain } from './describe-call.ts';

// Notes that were emptied are a draft too, and a draft without a character is none.
const MARK = '=';

/** What people wrote to the domain; buttons appear with the first change. */
export function NotesEditor({ domain }: { domain: DomainWire }) {
  const id = useId();
  const [draft, setDraft, clear] = useDraft(`notes ${domain.id}`);
  const { mutate, isPending, error, isSuccess, reset } = useDescribeDomain(domain.id);
  const text = draft === '' ? domain.notes : draft.slice(MARK.length);
  const isChanged = text !== domain.notes;

  const save = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && !isPending) mutate({ notes: text }, { onSuccess: () => void clear(`${MARK}${text}`) });
  };
  return (
    <form className="mt-4" onSubmit={save}>
      <label htmlFor={id} className="mb-1.5 block text-label font-medium">
        Notes
      </label>
      <textarea
        id={id}
        dir="auto"
        value={text}
        maxLength={NOTES_MAX_LENGTH}
        placeholder="Who renews it, and how"
        aria-invalid={error !== null || undefined}
        aria-describedby={error === null ? undefined : `${id}-error`}
        onChange={(event) => {
          reset();
          setDraft(event.target.value === domain.notes ? '' : `${MARK}${event.target.value}`);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit();
        }}
        className={classNames(
          inputClass(error !== null),
          'field-sizing-content max-h-80 min-h-[72px]! resize-y py-2 [overflow-wrap:anywhere]',
        )}
      />
      {error !== null && <FieldError id={`${id}-error`}>{messageOf(error)}</FieldError>}
      {isChanged ? (
        <div className="mt-2.5 flex gap-2">
          <Button type="submit" size="small" busy={isPending}>
            Save
          </Button>
          <Button
            variant="outline"
            size="small"
            disabled={isPending}
            onClick={() => {
              reset();
              clear();
            }}
          >
            Cancel
          </Button>
        </div>
      ) : (
        <output className="block text-meta text-fg-3">
          {isSuccess && <span className="mt-1.5 block">Saved</span>}
        </output>
      )}
    </form>
  );
}
