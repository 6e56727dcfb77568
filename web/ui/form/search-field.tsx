import { Search, X } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { SEARCH_MAX_LENGTH } from '../../../contract/words.ts';
import { classNames } from '../class-names.ts';
import { counted } from '../../lib/format.ts';

const TYPING_MS = 250;

/** Attributes of inputs for hosts, addresses, keys and tags. Browsers then neither complete, capitalise nor spell-check the text. */
export const LITERAL = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

interface SearchFieldProps {
  ref: RefObject<HTMLInputElement | null>;
  /** What the field finds, such as 'Find a domain'. */
  label: string;
  /** The current search. */
  value: string | undefined;
  /** How many results the search has; null while unknown, and without a search. */
  hits: number | null;
  onSearch: (q: string | undefined) => void;
  /** Called when Escape is pressed in the empty field. */
  onLeave?: () => void;
  /** True if the page focuses the field when `/` is pressed. */
  hasKey?: boolean;
  className?: string;
}

/** Holds the typed text. `search` searches at once, `type` shortly after the last keystroke. */
function useTypedSearch(value: string | undefined, onSearch: (q: string | undefined) => void) {
  const [text, setText] = useState(value ?? '');
  // The value that this field set last. If the value is another one, it came from elsewhere, such as the Back button.
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value ?? '');
  }

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (next: string) => {
    clearTimeout(timer.current);
    const q = next.trim() === '' ? undefined : next.trim();
    if (q === value) return;
    setKnown(q);
    onSearch(q);
  };
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(next), TYPING_MS);
  };
  const clear = () => {
    setText('');
    search('');
  };
  return { text, type, search: () => search(text), clear };
}

/** Searches shortly after the last keystroke. Escape clears the field, then leaves it. */
export function SearchField({
  ref,
  label,
  value,
  hits,
  onSearch,
  onLeave,
  hasKey = false,
  className,
}: SearchFieldProps) {
  const { text, type, search, clear } = useTypedSearch(value, onSearch);
  return (
    <search className={classNames('relative flex items-center', className)}>
      <Search
        className="pointer-events-none absolute left-3 size-3.5 text-fg-3"
        strokeWidth={1.6}
        aria-hidden="true"
      />
      <input
        ref={ref}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        role="searchbox"
        aria-label={label}
        placeholder={label}
        {...LITERAL}
        maxLength={SEARCH_MAX_LENGTH}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') search();
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (text !== '') clear();
          else {
            event.currentTarget.blur();
            onLeave?.();
          }
        }}
        className={classNames(
          'peer block min-h-11 w-full rounded-2 border border-control bg-surface pl-[34px] text-base/6 text-fg shadow-1 md:min-h-9 md:text-body',
          // Without the key hint and the button, the placeholder gets the whole width.
          hits !== null ? 'pr-24' : text === '' && !hasKey ? 'pr-3' : 'pr-10',
        )}
      />
      {/* Without results, the list itself says so. */}
      <output className="num pointer-events-none absolute right-11 text-meta text-fg-3 md:right-9">
        {hits !== null && hits > 0 && counted(hits, 'hit')}
      </output>
      {text === '' ? (
        hasKey && (
          <kbd
            aria-hidden="true"
            className="pointer-events-none absolute right-2 hidden min-w-5 rounded-1 border border-line-2 bg-sunken px-[5px] text-center font-mono text-[11px]/[18px] text-fg-3 md:block"
          >
            /
          </kbd>
        )
      ) : (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => {
            clear();
            ref.current?.focus();
          }}
          className="absolute right-0 grid size-11 place-items-center rounded-2 text-fg-3 hover:text-fg md:right-0.5 md:size-8"
        >
          <X className="size-3.5" strokeWidth={1.8} aria-hidden="true" />
        </button>
      )}
    </search>
  );
}
