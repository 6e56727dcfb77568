import { X } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { messageOf } from '../../lib/api-error.ts';
import { useDraft } from '../../lib/drafts.ts';
import { OverlapError, savedMeanwhileText, saveOnTop } from '../../lib/merge-changes.ts';
import { FieldError, inputClass } from '../../ui/form/field.tsx';
import { LITERAL } from '../../ui/form/search-field.tsx';
import { Spinner } from '../../ui/loading.tsx';
import { useDomainSummary } from '../../domain/domain-queries.ts';
import { typedTags, withoutTags } from '../../domain/typed-tags.ts';
import { actOnDomains, describeDomain, domain as readDomain } from '../../../contract/calls/domain.ts';
import { call } from '../../lib/api-client.ts';
import { useWrite } from '../../lib/use-write.ts';
import { useDomainCache } from '../../domain/domain-cache.ts';
import { NOTES_MAX_LENGTH } from '../../../contract/words.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';

// First character of a stored draft. Without it, notes that were emptied could not be kept as a draft, because empty drafts
// are not stored.
const MARK = '=';

/** Edits the domain's tags. Enter or a comma adds the typed text, which stays until it is stored. */
export function TagsEditor({ domain }: { domain: DomainWire }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText, clear] = useDraft(`tags ${domain.id}`);
  const [error, setError] = useState<string>();
  const { mutate, isPending, variables } = useChangeTags(domain.id);
  const { data: summary } = useDomainSummary();

  const store = (change: TagChange, onStored?: () => void) =>
    mutate(change, { onSuccess: onStored, onError: (failure) => setError(messageOf(failure)) });

  const add = () => {
    const typed = typedTags(text, domain.tags);
    setError(typed.ok ? undefined : typed.error);
    if (!typed.ok || isPending) return;
    const added = typed.tags.filter((tag) => !domain.tags.includes(tag));
    if (added.length === 0) clear();
    // Keep what the user has typed while the call was running.
    else store({ add: added, remove: [] }, () => setText((now) => withoutTags(now, typed.tags)));
  };
  const remove = (tag: string) => {
    setError(undefined);
    input.current?.focus();
    if (!isPending) store({ add: [], remove: [tag] });
  };
  const suggestions = summary?.tags.filter(({ tag }) => !domain.tags.includes(tag)) ?? [];

  return (
    <div>
      <TagList
        tags={domain.tags}
        isBusy={isPending}
        isLeaving={(tag) => isPending && variables.remove.includes(tag)}
        onRemove={remove}
      />
      <div className="relative">
        <input
          ref={input}
          aria-label="Add a tag"
          placeholder="Add a tag"
          list={`${id}-known`}
          value={text}
          {...LITERAL}
          enterKeyHint="done"
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          className={inputClass(error !== undefined)}
          onChange={(event) => {
            setError(undefined);
            setText(event.target.value);
          }}
          onKeyDown={(event) => {
            if ((event.key !== 'Enter' && event.key !== ',') || event.nativeEvent.isComposing) return;
            // The tag before this comma is being stored. It is still in the input, so ignore the comma.
            if (event.key === ',' && isPending) return;
            event.preventDefault();
            add();
          }}
        />
        {isPending && <Spinner className="absolute top-1/2 right-3 size-4 -translate-y-1/2 text-fg-3" />}
      </div>
      <datalist id={`${id}-known`}>
        {suggestions.map(({ tag }) => (
          <option key={tag} value={tag}>
            {tag}
          </option>
        ))}
      </datalist>
      {error !== undefined && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}

interface TagListProps {
  tags: readonly string[];
  isBusy: boolean;
  /** Returns whether the tag is being removed. */
  isLeaving: (tag: string) => boolean;
  onRemove: (tag: string) => void;
}

function TagList({ tags, isBusy, isLeaving, onRemove }: TagListProps) {
  if (tags.length === 0) return null;
  return (
    <ul aria-label="Tags" className="mb-2.5 flex flex-wrap gap-1.5">
      {tags.map((tag) => (
        <li
          key={tag}
          className="flex min-h-7 max-w-full items-center rounded-1 border border-line bg-sunken pl-2 text-meta text-fg-2 max-md:min-h-11"
        >
          <bdi className="min-w-0 [overflow-wrap:anywhere]">{tag}</bdi>
          <button
            type="button"
            aria-label={`Remove the tag ${tag}`}
            aria-disabled={isBusy || undefined}
            onClick={() => onRemove(tag)}
            className="grid size-7 flex-none place-items-center rounded-1 text-fg-3 hover:text-fg max-md:size-11"
          >
            {isLeaving(tag) ? (
              <Spinner className="size-3" />
            ) : (
              <X className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface TagChange {
  add: string[];
  remove: string[];
}

/** Adds or removes tags. Sends only the change, so that tags which another tab has added are not lost. */
function useChangeTags(id: string) {
  const cache = useDomainCache();
  return useWrite({
    mutationFn: async (change: TagChange) => {
      const [result] = await call(actOnDomains, { body: { action: 'tag', ids: [id], ...change } });
      if (!result?.domain || result.message !== null) throw new Error(result?.message ?? '');
      return result.domain;
    },
    onSuccess: (domain) => cache.put(domain),
  });
}

/** Saves the notes unless another tab has changed them since `before`. */
function useSaveNotes(id: string, onOverlap: (saved: string) => void) {
  const cache = useDomainCache();
  const params = { id };
  return useWrite({
    mutationFn: ({ before, after }: { before: string; after: string }) =>
      saveOnTop(
        { lock: `notes ${id}`, before: { notes: before }, after: { notes: after } },
        {
          read: () => call(readDomain, { params }),
          valuesOf: ({ notes }) => ({ notes }),
          write: (body) => call(describeDomain, { params, body }),
          show: (newest) => {
            cache.put(newest);
            onOverlap(newest.notes);
          },
        },
      ),
    onSuccess: (domain) => cache.put(domain),
  });
}

function notesError(error: Error): string {
  const overlap = error instanceof OverlapError ? error.overlaps[0] : undefined;
  return overlap ? savedMeanwhileText(overlap) : messageOf(error);
}

/** Edits the domain's notes; the buttons appear with the first change. */
export function NotesEditor({ domain }: { domain: DomainWire }) {
  const id = useId();
  const [draft, setDraft, clear] = useDraft(`notes ${domain.id}`);
  // The notes from which the draft began.
  const [base, setBase] = useDraft(`notes-before ${domain.id}`);
  const { mutate, isPending, error, isSuccess, reset } = useSaveNotes(domain.id, (saved) =>
    setBase(`${MARK}${saved}`),
  );
  const text = draft === '' ? domain.notes : draft.slice(MARK.length);
  const isChanged = text !== domain.notes;

  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isChanged || isPending) return;
    const before = base === '' ? domain.notes : base.slice(MARK.length);
    mutate(
      { before, after: text },
      {
        onSuccess: () => {
          clear(`${MARK}${text}`);
          setBase(`${MARK}${text}`);
        },
      },
    );
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
        placeholder="Who renews the certificate, and how"
        aria-invalid={error !== null || undefined}
        aria-describedby={error === null ? undefined : `${id}-error`}
        onChange={(event) => {
          reset();
          if (draft === '') setBase(`${MARK}${domain.notes}`);
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
      {error !== null && <FieldError id={`${id}-error`}>{notesError(error)}</FieldError>}
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
