import { X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useDraft } from '../../../lib/draft.ts';
import { FieldError, inputClass } from '../../../ui/field.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { useDomainSummary } from '../domain-queries.ts';
import { useDescribeDomain } from './describe-call.ts';
import { typedTags, withoutTags } from '../typed-tags.ts';

/** The domain's tags as they are stored. Enter or a comma adds what is typed, which stays until it was stored. */
export function TagsEditor({ domain }: { domain: DomainWire }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText, clear] = useDraft(`tags ${domain.id}`);
  const [error, setError] = useState<string>();
  const { mutate, isPending, variables } = useDescribeDomain(domain.id);
  const { data: summary } = useDomainSummary();

  const store = (tags: string[], onStored?: () => void) =>
    mutate({ tags }, { onSuccess: onStored, onError: (failure) => setError(messageOf(failure)) });

  const add = () => {
    const typed = typedTags(text, domain.tags);
    setError(typed.ok ? undefined : typed.error);
    if (!typed.ok || isPending) return;
    if (typed.tags.length === domain.tags.length) clear();
    // What was typed on meanwhile was not sent.
    else store(typed.tags, () => setText((now) => withoutTags(now, typed.tags)));
  };
  const remove = (tag: string) => {
    setError(undefined);
    input.current?.focus();
    if (!isPending) store(domain.tags.filter((other) => other !== tag));
  };
  const suggestions = summary?.tags.filter(({ tag }) => !domain.tags.includes(tag)) ?? [];

  return (
    <div>
      {domain.tags.length > 0 && (
        <ul aria-label="Tags" className="mb-2.5 flex flex-wrap gap-1.5">
          {domain.tags.map((tag) => (
            <li
              key={tag}
              className="flex min-h-7 max-w-full items-center rounded-1 border border-line bg-sunken pl-2 text-meta text-fg-2 max-md:min-h-11"
            >
              <bdi className="min-w-0 [overflow-wrap:anywhere]">{tag}</bdi>
              <button
                type="button"
                aria-label={`Remove the tag ${tag}`}
                aria-disabled={isPending || undefined}
                onClick={() => remove(tag)}
                className="grid size-7 flex-none place-items-center rounded-1 text-fg-3 hover:text-fg max-md:size-11"
              >
                {isPending && variables.tags?.includes(tag) === false ? (
                  <Spinner className="size-3" />
                ) : (
                  <X className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="relative">
        <input
          ref={input}
          aria-label="Add a tag"
          placeholder="Add a tag"
          list={`${id}-known`}
          value={text}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
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
            // The tag before this comma is on its way, or waits in the line like the one after it.
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
