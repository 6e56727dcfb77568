import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { CancelButton, Dialog, DialogActions, Form } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { useDomainSummary } from '../../../domain/domain-queries.ts';
import { cachedDomain } from '../../../domain/domain-cache.ts';
import { typedTags } from '../../../domain/typed-tags.ts';
import { counted } from '../../../lib/format.ts';
import { useSelection } from './selection-provider.tsx';

interface TagsDialogProps {
  open: boolean;
  count: number;
  onOpenChange: (open: boolean) => void;
  onChange: (change: { add: string[]; remove: string[] }) => void;
}

/** Adds and removes tags on every selected domain. */
export function TagsDialog({ open, count, onOpenChange, onChange }: TagsDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Tags of ${counted(count, 'domain')}`}
      description="Other tags stay unchanged."
    >
      <TagsForm onCancel={() => onOpenChange(false)} onChange={onChange} />
    </Dialog>
  );
}

function TagsForm({ onCancel, onChange }: Pick<TagsDialogProps, 'onChange'> & { onCancel: () => void }) {
  const { data: summary } = useDomainSummary();
  const shared = useTagsOfSelected();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const listId = useId();
  const toggle = (tag: string) => {
    const next = new Set(removed);
    if (!next.delete(tag)) next.add(tag);
    setRemoved(next);
  };
  return (
    <Form
      onSubmit={() => {
        const typed = typedTags(text);
        if (!typed.ok) setError(typed.error);
        else if (typed.tags.length + removed.size === 0)
          setError('Type a tag to add, or choose one to remove');
        else onChange({ add: typed.tags, remove: [...removed] });
      }}
    >
      <Field
        className="mt-[18px]"
        label="Add tags"
        hint="Separate several with commas."
        list={listId}
        autoComplete="off"
        autoCapitalize="none"
        value={text}
        error={error}
        onChange={(event) => {
          setText(event.target.value);
          setError(undefined);
        }}
      />
      <datalist id={listId}>
        {summary?.tags.map(({ tag }) => (
          <option key={tag} value={tag}>
            {tag}
          </option>
        ))}
      </datalist>
      {shared.length > 0 && (
        <fieldset className="mt-4">
          <legend className="mb-1.5 text-label font-medium">Remove tags</legend>
          <div className="flex max-h-[168px] flex-wrap gap-2 overflow-y-auto p-0.5">
            {shared.map((tag) => {
              const isRemoved = removed.has(tag);
              return (
                <button
                  key={tag}
                  type="button"
                  aria-pressed={isRemoved}
                  onClick={() => toggle(tag)}
                  className={classNames(
                    'inline-flex min-h-11 max-w-full items-center gap-1.5 rounded-2 border px-2.5 text-label md:min-h-8',
                    isRemoved
                      ? 'border-fg font-[580] line-through shadow-[inset_0_0_0_0.5px_var(--fg)]'
                      : 'border-line-2 hover:bg-sunken',
                  )}
                >
                  <span className="truncate">{tag}</span>
                  {isRemoved && <X className="size-3.5 flex-none" strokeWidth={1.6} aria-hidden="true" />}
                </button>
              );
            })}
          </div>
        </fieldset>
      )}
      <DialogActions>
        <CancelButton onClick={onCancel} />
        <Button type="submit">Change Tags</Button>
      </DialogActions>
    </Form>
  );
}

/** Returns the tags of the selected domains, in alphabetical order. */
function useTagsOfSelected(): string[] {
  const queryClient = useQueryClient();
  const { selected, unloadedTags } = useSelection();
  return useMemo(() => {
    const domains = [...selected].map((id) => cachedDomain(queryClient, id));
    const tags = domains.flatMap((domain) => domain?.tags ?? []);
    return [...new Set(domains.includes(undefined) ? [...tags, ...unloadedTags] : tags)].toSorted();
  }, [queryClient, selected, unloadedTags]);
}
