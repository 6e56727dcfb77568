import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { useDomainSummary } from '../domain-queries.ts';
import { grouped } from './bulk-outcome.ts';
import { typedTags } from '../typed-tags.ts';

interface TagsDialogProps {
  open: boolean;
  count: number;
  onOpenChange: (open: boolean) => void;
  onChange: (change: { add: string[]; remove: string[] }) => void;
}

/** Which tags every selected domain gets and which it loses. */
export function TagsDialog({ open, count, onOpenChange, onChange }: TagsDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={count === 1 ? 'Tags of one domain' : `Tags of ${grouped(count)} domains`}
      description="What you leave out stays as it is."
    >
      <TagsForm onCancel={() => onOpenChange(false)} onChange={onChange} />
    </Dialog>
  );
}

function TagsForm({ onCancel, onChange }: Pick<TagsDialogProps, 'onChange'> & { onCancel: () => void }) {
  const { data: summary } = useDomainSummary();
  const known = summary?.tags ?? [];
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
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
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
        {known.map(({ tag }) => (
          <option key={tag} value={tag}>
            {tag}
          </option>
        ))}
      </datalist>
      {known.length > 0 && (
        <fieldset className="mt-4">
          <legend className="mb-1.5 text-label font-medium">Remove tags</legend>
          <div className="flex max-h-[168px] flex-wrap gap-2 overflow-y-auto p-0.5">
            {known.map(({ tag }) => {
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
        <Button variant="outline" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit">Change Tags</Button>
      </DialogActions>
    </form>
  );
}
