import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { domainSummary } from '../../../../contract/calls/domain.ts';
import { call } from '../../../lib/api-client.ts';
import { FieldError } from '../../../ui/form/field.tsx';
import { CheckboxLine } from '../../../ui/form/checkbox-line.tsx';
import { RadioCells } from '../../../ui/form/radio-cells.tsx';
import { NamedDomains } from './named-domains.tsx';
import { type DraftErrors, missingOf, type PageDraft } from './page-draft.ts';

interface WhichDomainsProps {
  draft: PageDraft;
  errors: DraftErrors;
  /** True if the choice differs from the saved one. */
  isChanged: boolean;
  onChoose: (change: Partial<PageDraft>) => void;
  /** Changes the names of domains on the page. */
  onRename: (change: Pick<PageDraft, 'domains'>) => void;
}

const CELLS = [
  { value: 'all', label: 'All', note: 'Including new ones, without private names' },
  { value: 'tags', label: 'By tag', note: 'With a chosen tag' },
  { value: 'chosen', label: 'Chosen', note: 'Worst first, then in your order' },
] as const;

/** Chooses the domains on the page and their names. */
export function WhichDomains({ draft, errors, isChanged, onChoose, onRename }: WhichDomainsProps) {
  const missing = missingOf(draft);
  return (
    <div className="grid gap-5">
      <RadioCells
        label="Which domains"
        cells={CELLS}
        chosen={draft.shows}
        onChoose={(shows) => onChoose({ shows })}
        className="grid-cols-3"
      />
      {missing && (
        <p role="status" className="text-label text-fg-2">
          {isChanged && 'Not saved yet. '}
          {missing.tags ?? missing.domains}
        </p>
      )}
      {draft.shows === 'tags' && (
        <Tags chosen={draft.tags} error={errors.tags} onChange={(tags) => onChoose({ tags })} />
      )}
      <NamedDomains
        domains={draft.domains}
        isWhole={draft.shows === 'chosen'}
        error={errors.domains}
        onChange={(domains) => onChoose({ domains })}
        onRename={(domains) => onRename({ domains })}
      />
    </div>
  );
}

interface TagsProps {
  chosen: string[];
  error: string | undefined;
  onChange: (tags: string[]) => void;
}

function Tags({ chosen, error, onChange }: TagsProps) {
  const errorId = useId();
  const { data } = useQuery({
    queryKey: ['status-page-tags'],
    queryFn: async ({ signal }) => (await call(domainSummary, { signal })).tags.map(({ tag }) => tag),
  });
  // Lists a chosen tag even if no domain has it any more, until it is deselected.
  const tags = [...new Set([...chosen, ...(data ?? [])])].toSorted();
  if (data && tags.length === 0)
    return <p className="text-label text-fg-2">No domain has a tag yet. Add tags in a domain’s panel.</p>;
  return (
    <fieldset name="tags" tabIndex={-1} aria-describedby={error === undefined ? undefined : errorId}>
      <legend className="mb-1 text-label font-medium">Tags</legend>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {tags.map((tag) => (
          <CheckboxLine
            key={tag}
            label={<bdi className="min-w-0 [overflow-wrap:anywhere]">{tag}</bdi>}
            checked={chosen.includes(tag)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, tag] : chosen.filter((other) => other !== tag))
            }
          />
        ))}
      </div>
      {error !== undefined && <FieldError id={errorId}>{error}</FieldError>}
    </fieldset>
  );
}
