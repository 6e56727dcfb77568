import { useQuery } from '@tanstack/react-query';
import { ChevronUp, X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { MAX_SHOWN } from '../../../../contract/status-page.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Field, inputClass } from '../../../ui/form/field.tsx';
import { LITERAL } from '../../../ui/form/search-field.tsx';
import { findDomain, searchDomains } from './domain-search.ts';
import type { PageDraft } from './page-draft.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';

type Named = PageDraft['domains'];

interface NamedDomainsProps {
  domains: Named;
  /** True if `domains` is the whole page; false if it has only the domains with a name of their own. */
  isWhole: boolean;
  error: string | undefined;
  onChange: (domains: Named) => void;
  onRename: (domains: Named) => void;
}

/** Edits domains and their names on the page. */
export function NamedDomains({ domains, isWhole, error, onChange, onRename }: NamedDomainsProps) {
  const input = useRef<HTMLInputElement>(null);
  const rename = (id: string, label: string) =>
    onRename(domains.map((one) => (one.id === id ? { ...one, label } : one)));
  const raise = (index: number) => {
    const [before, one] = [domains[index - 1], domains[index]];
    if (before && one) onChange(domains.with(index - 1, one).with(index, before));
  };
  return (
    <div>
      <h3 className="text-label font-medium">{isWhole ? 'Domains' : 'Names'}</h3>
      <p className="mt-0.5 text-meta text-fg-3">
        {isWhole
          ? 'The domains on the page. Enter a name to show it instead of the hostname.'
          : 'Names to show on the page instead of hostnames.'}
      </p>
      {domains.length > 0 && (
        <ul className="mt-2.5 divide-y divide-line rounded-3 border border-line bg-surface">
          {domains.map(({ id, name, label }, index) => (
            <li
              key={id}
              className="flex flex-wrap items-center gap-x-3 gap-y-1.5 py-2 pr-1.5 pl-3 sm:flex-nowrap"
            >
              <span className="min-w-0 flex-1 basis-full font-mono text-label [overflow-wrap:anywhere] sm:basis-0">
                <bdi dir="ltr">{name}</bdi>
              </span>
              <span className="min-w-0 flex-1">
                <input
                  aria-label={`Name of ${name} on the page`}
                  placeholder="Name on the page"
                  value={label}
                  maxLength={80}
                  className={inputClass()}
                  onChange={(event) => rename(id, event.target.value)}
                />
              </span>
              {isWhole && (
                <IconButton
                  label={`Move ${name} up`}
                  aria-disabled={index === 0 || undefined}
                  onClick={() => raise(index)}
                >
                  <ChevronUp className="size-4" strokeWidth={1.6} aria-hidden="true" />
                </IconButton>
              )}
              <IconButton
                label={`Remove ${name} from the page`}
                onClick={() => {
                  onChange(domains.filter((one) => one.id !== id));
                  input.current?.focus();
                }}
              >
                <X className="size-4" strokeWidth={1.6} aria-hidden="true" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <AddDomain
        domains={domains}
        input={input}
        refusal={error}
        onAdd={(domain) => onChange([...domains, domain])}
      />
    </div>
  );
}

interface AddDomainProps {
  domains: Named;
  input: React.RefObject<HTMLInputElement | null>;
  /** Message that says why the list was not saved. */
  refusal: string | undefined;
  onAdd: (domain: Named[number]) => void;
}

function AddDomain({ domains, input, refusal, onAdd }: AddDomainProps) {
  const listId = useId();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const debounced = useDebounced(typed.trim());
  const { data } = useQuery({
    queryKey: ['status-page-domains', debounced],
    queryFn: ({ signal }) => searchDomains(debounced, signal),
  });
  const add = async () => {
    const name = typed.trim().toLowerCase();
    if (name === '') return;
    if (domains.length >= MAX_SHOWN) {
      setError(`A page shows at most ${MAX_SHOWN} domains.`);
      return;
    }
    try {
      const found = await findDomain(name);
      if (found === 'several') {
        setError(`You track several servers of “${name}”. Choose one from the list.`);
        return;
      }
      if (!found) {
        setError(`You do not track “${name}”.`);
        return;
      }
      if (domains.some(({ id }) => id === found.id)) {
        setError(`${found.name} is already on the page.`);
        return;
      }
      onAdd({ id: found.id, name: found.name, label: '' });
      setTyped('');
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  return (
    <form
      noValidate
      className="mt-3 flex items-start gap-2 max-sm:flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Field
        ref={input}
        label="Add a domain"
        name="domains"
        mono={typed !== ''}
        placeholder="shop.example.com"
        className="w-full min-w-0 flex-1"
        list={listId}
        value={typed}
        error={error ?? refusal}
        {...LITERAL}
        onChange={(event) => {
          setError(undefined);
          setTyped(event.target.value);
        }}
      />
      <datalist id={listId}>
        {data?.map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      <Button type="submit" variant="outline" size="form" className="max-sm:w-full sm:mt-6">
        Add
      </Button>
    </form>
  );
}
