import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CornerDownLeft, Search } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { exportCertificates } from '../../../contract/calls/certificate.ts';
import {
  checkDomain,
  exportDomains,
  listDomains,
  pauseDomain,
  resumeDomain,
} from '../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { SEARCH_MAX_LENGTH } from '../../../contract/words.ts';
import { useDomainCache } from '../../domain/domain-cache.ts';
import { findPanelHeading } from '../../domain/domain-actions.tsx';
import { useDomainSummary } from '../../domain/domain-queries.ts';
import { saveCsv } from '../../domain/export-csv.tsx';
import { RemainingTime } from '../../domain/remaining-time.tsx';
import { StateBadge } from '../../domain/state-marks.tsx';
import { useSignedIn } from '../../lib/account/current-user.ts';
import { useUpgrade } from '../../lib/account/plan.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError, sentenceOf } from '../../lib/api-error.ts';
import { theme } from '../../lib/browser/theme.ts';
import { ADD_DOMAIN_DRAFT, keepDraft } from '../../lib/drafts.ts';
import { counted, grouped } from '../../lib/format.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useNow } from '../../lib/use-now.ts';
import { useWrite } from '../../lib/use-write.ts';
import { classNames } from '../../ui/class-names.ts';
import { type OpenState, SCRIM, useFocusReturn } from '../../ui/dialog.tsx';
import { LITERAL } from '../../ui/form/search-field.tsx';
import { Spinner } from '../../ui/loading.tsx';
import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';
import {
  optionGroups,
  type PaletteAction,
  type PaletteCommand,
  type PaletteOption,
  parseWish,
  type Wish,
} from './palette-options.ts';
import { LinkButton } from '../../ui/button.tsx';

const TYPING_MS = 150;
/** Maximum number of domains listed; typing more narrows the search. */
const MAX_FOUND = 8;

interface CommandPaletteProps extends OpenState {
  commands: readonly PaletteCommand[];
}

/** Finds domains, actions, filters and pages by name, and opens or runs the chosen one. */
export function CommandPalette({ open, onOpenChange, commands }: CommandPaletteProps) {
  const chosen = useRef<PaletteAction['type']>(null);
  // A panel or page that an option opens takes the focus itself, perhaps before the palette has closed. Then the palette does
  // not return the focus.
  const returnFocus = useFocusReturn(open, () => {
    if (chosen.current === 'open') return findPanelHeading();
    return chosen.current === 'visit' ? focusInMain() : null;
  });
  useEffect(() => {
    if (open) chosen.current = null;
  }, [open]);
  const act = usePaletteActions();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={SCRIM} />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="fixed inset-x-2 top-2 z-50 mx-auto flex max-h-[min(520px,calc(100dvh-1rem))] max-w-[600px] flex-col overflow-hidden rounded-4 border border-line-2 bg-menu shadow-3 outline-none data-[state=open]:animate-[menu-in_120ms_ease-out] md:top-[12vh]"
        >
          <Radix.Title className="sr-only">Commands</Radix.Title>
          <Finder
            commands={commands}
            onChoose={(action) => {
              chosen.current = action.type;
              onOpenChange(false);
              act(action);
            }}
          />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function focusInMain(): HTMLElement | null {
  const { activeElement: focused } = document;
  return focused instanceof HTMLElement && focused.closest('main') ? focused : null;
}

interface FinderProps {
  commands: readonly PaletteCommand[];
  onChoose: (action: PaletteAction) => void;
}

/**
 * An input with a list of options below. The input keeps the focus. Follows the combobox pattern of the ARIA Authoring
 * Practices Guide.
 */
function Finder({ commands, onChoose }: FinderProps) {
  const now = useNow();
  const listId = useId();
  const [text, setText] = useState('');
  const [markedId, setMarkedId] = useState<string>();
  const summary = useDomainSummary();
  const wish = parseWish(text);
  const search = useDomainSearch(wish);
  const groups = optionGroups({ text, found: search.found, summary: summary.data, commands, now });
  const options = groups.flatMap((group) => group.options);
  // The first option is marked until the user marks another.
  const marked = options.find(({ id }) => id === markedId) ?? options[0];
  const elementId = (option: PaletteOption) => `${listId}-${options.indexOf(option)}`;

  const choose = (option: PaletteOption) => {
    if (option.action.type !== 'write') return onChoose(option.action);
    setText(option.action.text);
    return setMarkedId(undefined);
  };
  // If Enter is pressed during a search, wait for the result: until then the marked option may not be the one that the user
  // means.
  const [isEntered, setIsEntered] = useState(false);
  const chooseMarked = useEffectEvent(() => {
    setIsEntered(false);
    if (marked) choose(marked);
  });
  useEffect(() => {
    // Enter was pressed during the search. Run the chosen entry now that the search has ended.
    // oxlint-disable-next-line react/set-state-in-effect
    if (isEntered && !search.isSearching) chooseMarked();
  }, [isEntered, search.isSearching]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      const index = marked ? options.indexOf(marked) : -1;
      setMarkedId(options.at((index + by) % options.length)?.id);
    } else if (event.key === 'Enter') setIsEntered(true);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div className="relative flex flex-none items-center border-b border-line">
        <Search
          className="pointer-events-none absolute left-4 size-4 text-fg-3"
          strokeWidth={1.6}
          aria-hidden="true"
        />
        <input
          type="text"
          role="combobox"
          aria-label="Find a domain, action or page"
          aria-expanded={options.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={marked && elementId(marked)}
          placeholder="Find a domain, action or page"
          {...LITERAL}
          enterKeyHint="go"
          maxLength={SEARCH_MAX_LENGTH}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setMarkedId(undefined);
            setIsEntered(false);
          }}
          onKeyDown={onKeyDown}
          className="min-h-13 w-full bg-transparent pr-11 pl-11 text-base/6 text-fg outline-none"
        />
        {search.isSearching && <Spinner className="absolute right-4 text-fg-3" />}
      </div>
      <Options
        id={listId}
        groups={groups}
        elementId={elementId}
        now={now}
        marked={marked}
        onMark={setMarkedId}
        onChoose={choose}
      />
      <Outcome wish={wish} search={search} optionCount={options.length} />
    </>
  );
}

interface OptionsProps {
  id: string;
  groups: ReturnType<typeof optionGroups>;
  elementId: (option: PaletteOption) => string;
  now: number;
  marked: PaletteOption | undefined;
  onMark: (id: string) => void;
  onChoose: (option: PaletteOption) => void;
}

/** Lists the options below the titles of their groups. */
function Options({ id, groups, elementId, now, marked, onMark, onChoose }: OptionsProps) {
  return (
    <div id={id} role="listbox" aria-label="Results" className="min-h-0 flex-1 overflow-y-auto p-1.5">
      {groups.map(({ title, options }) => (
        <div key={title} role="group" aria-labelledby={`${id}-${title}`} className="mt-1.5 first:mt-0">
          <p id={`${id}-${title}`} className="px-2.5 py-1 text-meta text-fg-3">
            {title}
          </p>
          {options.map((option) => (
            <Option
              key={option.id}
              id={elementId(option)}
              option={option}
              now={now}
              isMarked={option === marked}
              onMark={() => onMark(option.id)}
              onChoose={() => onChoose(option)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  id: string;
  option: PaletteOption;
  now: number;
  isMarked: boolean;
  onMark: () => void;
  onChoose: () => void;
}

const reveal = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' });

function Option({ id, option, now, isMarked, onMark, onChoose }: OptionProps) {
  const { action, label, count } = option;
  const domain = 'domain' in action ? action.domain : null;
  return (
    <button
      ref={isMarked ? reveal : undefined}
      type="button"
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isMarked}
      // The input keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onPointerMove={onMark}
      onClick={onChoose}
      className="flex min-h-11 w-full items-center gap-3 rounded-2 px-2.5 text-left text-[13.5px]/5 select-none aria-selected:bg-menu-active md:min-h-9 forced-colors:aria-selected:outline-2"
    >
      <span className={domain ? 'min-w-0 flex-1 truncate font-mono font-[560]' : 'min-w-0 flex-1 truncate'}>
        {label}
      </span>
      {domain && <StateOfDomain domain={domain} now={now} />}
      {count !== undefined && <span className="num text-fg-3">{grouped(count)}</span>}
      <CornerDownLeft
        className={classNames('size-3.5 flex-none text-fg-3 max-md:hidden', !isMarked && 'invisible')}
        strokeWidth={1.6}
        aria-hidden="true"
      />
    </button>
  );
}

/** Shows why the domain needs attention; if it needs none, the remaining time. The found domains are sorted by these reasons. */
function StateOfDomain({ domain, now }: { domain: DomainWire; now: number }) {
  const { attention } = domain;
  const isDated = attention === 'expired' || attention === 'critical' || attention === 'soon';
  if (attention === null || isDated) return <RemainingTime domain={domain} now={now} short />;
  return <StateBadge state={attention} />;
}

type DomainSearch = ReturnType<typeof useDomainSearch>;

/** Searches on the server shortly after the last keystroke. */
function useDomainSearch({ verb, q }: Wish) {
  const wanted = useDebounced(JSON.stringify({ verb, q }), TYPING_MS);
  const asked = JSON.parse(wanted) as Wish;
  const isAsked = asked.q !== '' || asked.verb !== 'open';
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['palette', wanted],
    queryFn: ({ signal }) =>
      call(listDomains, {
        query: {
          ...(asked.q !== '' && { q: asked.q }),
          ...(asked.verb === 'resume' && { status: 'paused' as const }),
          sort: 'worst' as const,
          limit: MAX_FOUND,
        },
        signal,
      }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const isCurrent = asked.verb === verb && asked.q === q;
  return {
    found: isAsked && (q !== '' || verb !== 'open') ? (data?.data ?? []) : [],
    isSearching: !isCurrent || (isAsked && isFetching),
    error: isAsked && !isFetching ? error : null,
    retry: () => void refetch(),
  };
}

/** Says how many options there are, or why there are none. */
function Outcome({ wish, search, optionCount }: { wish: Wish; search: DomainSearch; optionCount: number }) {
  if (search.error)
    return (
      <p role="alert" className="border-t border-line px-4 py-3 text-label text-fg-2">
        Could not search your domains: {sentenceOf(search.error)}{' '}
        <LinkButton onClick={search.retry}>Try again</LinkButton>
      </p>
    );
  const isEmpty = optionCount === 0;
  const words = search.isSearching ? 'Searching…' : isEmpty ? noneLine(wish) : counted(optionCount, 'result');
  return (
    <p role="status" className={isEmpty ? 'px-4 pb-4 text-label text-fg-2' : 'sr-only'}>
      {words}
    </p>
  );
}

function noneLine({ verb, q }: Wish): string {
  if (verb === 'open') return `Nothing matches “${q}”.`;
  const kind = verb === 'resume' ? 'paused' : 'active';
  return q === '' ? `No domain is ${kind}.` : `No ${kind} domain matches “${q}”.`;
}

const DONE = {
  refresh: (name: string) => `Checking ${name} …`,
  pause: (name: string) => `${name} paused.`,
  resume: (name: string) => `${name} resumed.`,
};

/** Returns the function that carries out a chosen option. */
function usePaletteActions(): (action: PaletteAction) => void {
  const navigate = useNavigate();
  const { user } = useSignedIn();
  const upgrade = useUpgrade();
  const cache = useDomainCache();
  const change = useWrite({
    mutationFn: ({ verb, id }: { verb: keyof typeof DONE; id: string }) =>
      verb === 'resume'
        ? call(resumeDomain, { params: { id }, body: {} })
        : call(verb === 'pause' ? pauseDomain : checkDomain, { params: { id } }),
    onSuccess: (domain, { verb }) => {
      cache.put(domain);
      toast.success(DONE[verb](domain.display_name));
    },
    onError: (error, { verb }) => {
      const isLimit = error instanceof ApiError && error.status === 402;
      if (isLimit && upgrade.isSold) upgrade.open('limit');
      else toast.error(failureText(error, `Could not ${verb} the domain: `));
    },
  });
  return (action) => {
    switch (action.type) {
      case 'open':
        return void navigate({ to: '/dashboard', search: { domain: action.domain.id } });
      case 'refresh':
      case 'pause':
      case 'resume':
        return change.mutate({ verb: action.type, id: action.domain.id });
      case 'add':
        if (action.host !== '') keepDraft(user.id, ADD_DOMAIN_DRAFT, action.host);
        return void navigate({ to: '/dashboard', search: (former) => former, state: { addsDomain: true } });
      case 'filter':
        return void navigate({ to: '/dashboard', search: action.search });
      case 'visit':
        return void navigate({ to: action.to, ...(action.hash !== undefined && { hash: action.hash }) });
      case 'export':
        return void saveCsv(action.what === 'domains' ? exportDomains : exportCertificates, {}, action.what);
      case 'theme':
        return theme.set(action.theme);
      case 'run':
        return action.run();
      default:
        return undefined;
    }
  };
}
