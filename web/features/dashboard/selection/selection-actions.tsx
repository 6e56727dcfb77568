import { ChevronUp, Clock, Lock, type LucideIcon, Pause, Play, RefreshCw, Tag, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { BULK_SIZE, CHECK_FREQUENCIES } from '../../../../contract/words.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx';
import { cardElement } from '../../../domain/domain-actions.tsx';
import { useOpenDomain } from '../use-open-domain.ts';
import { type BulkAction, progressLine } from './bulk-outcome.ts';
import { useSelection } from './selection-provider.tsx';
import { TagsDialog } from './tags-dialog.tsx';
import { TroubleDialog } from './trouble-dialog.tsx';
import { type BulkProgress, onlySelected, useBulk } from './use-bulk.ts';
import { ProgressBar } from '../../../ui/loading.tsx';
import { useSubscription } from '../../../lib/account/plan.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { useMatchingDomains } from '../../../domain/domain-queries.ts';
import { isUnfiltered } from '../../../domain/domain-filter.ts';
import { counted, grouped } from '../../../lib/format.ts';

const ELSEWHERE =
  'input:not([type=checkbox]), textarea, select, [role=dialog], [role=alertdialog], [role=menu]';

const ICON = { className: 'size-4', strokeWidth: 1.6, 'aria-hidden': true } as const;

type Opened = 'remove' | 'tags' | null;

/** Shows the action bar while domains are selected, with its dialogs. */
export function SelectionActions() {
  const { selected, isSelecting, loaded, clear } = useSelection();
  const bulk = useBulk();
  const [opened, setOpened] = useState<Opened>(null);
  const isRunning = bulk.progress !== null;
  useClearByEscape(isSelecting && !isRunning, clear);
  const focusFirst = useFocusWhenGone(isSelecting || isRunning);

  const act = (action: BulkAction) => void bulk.run(action);
  const only = onlySelected(selected, loaded);
  // The selection as it was confirmed: it shrinks while the removal runs.
  const [confirmed, setConfirmed] = useState<{ count: number; only: DomainWire | null } | null>(null);
  const open = (dialog: Opened) => {
    setConfirmed(null);
    setOpened(dialog);
  };

  return (
    <>
      {(isSelecting || isRunning) && (
        <Frame>
          {bulk.progress ? (
            <BulkProgressBar progress={bulk.progress} onStop={bulk.stop} />
          ) : (
            <Actions act={act} open={open} />
          )}
        </Frame>
      )}
      <RemoveSelectedDialog
        open={opened === 'remove'}
        onOpenChange={(open) => setOpened(open ? 'remove' : null)}
        {...(confirmed ?? { count: selected.size, only })}
        processing={isRunning}
        onConfirm={() => {
          setConfirmed({ count: selected.size, only });
          // Close the dialog before a run of several batches: the run takes long, and the bar can stop it.
          if (selected.size > BULK_SIZE) setOpened(null);
          void bulk.run({ action: 'remove' }).then(() => setOpened(null));
        }}
        focusAfterClose={focusFirst}
      />
      <TagsDialog
        open={opened === 'tags'}
        onOpenChange={(open) => setOpened(open ? 'tags' : null)}
        count={selected.size}
        onChange={(change) => {
          setOpened(null);
          act({ action: 'tag', ...change });
        }}
      />
      <TroubleDialog
        trouble={opened === null ? bulk.trouble : null}
        onClose={bulk.dismissTrouble}
        onTryAgain={() => bulk.trouble && act(bulk.trouble.action)}
      />
    </>
  );
}

/** Places the bar above the add button on narrow screens, beside the open panel on wide ones. */
function Frame({ children }: { children: ReactNode }) {
  const { openId } = useOpenDomain();
  return (
    <div
      className={classNames(
        'pointer-events-none fixed inset-x-0 bottom-(--tabs) z-20 pb-[76px] md:pb-6',
        openId !== null && 'lg:pr-[400px]',
      )}
    >
      <div className="wrap @container">
        <section
          aria-label="Selected domains"
          data-selection-bar=""
          className="pointer-events-auto flex min-h-[54px] w-full animate-[sheet-in_180ms_ease-out] items-center gap-1 rounded-4 border border-line-2 bg-menu p-1.5 shadow-3 md:w-fit md:min-w-[420px] md:gap-2 md:p-2"
        >
          {children}
        </section>
      </div>
    </div>
  );
}

interface ActionsProps {
  act: (action: BulkAction) => void;
  open: (dialog: Opened) => void;
}

/** Shows the number of selected domains and the actions: as buttons where there is room, else in a menu. */
function Actions({ act, open }: ActionsProps) {
  const { selected, total, selectAll, clear } = useSelection();
  const outOfView = useOutOfView();
  const hasMore = total > selected.size - outOfView;
  const all = `Select all ${grouped(total)}`;
  const onDomains: Action[] = [
    { label: 'Check now', Icon: RefreshCw, onChoose: () => act({ action: 'check' }) },
    { label: 'Pause', Icon: Pause, onChoose: () => act({ action: 'pause' }) },
    { label: 'Resume', Icon: Play, onChoose: () => act({ action: 'resume' }) },
  ];
  const tags: Action = { label: 'Tags', Icon: Tag, onChoose: () => open('tags') };
  const remove: Action = { label: 'Delete', Icon: X, onChoose: () => open('remove'), isDanger: true };
  const frequencies = (
    <FrequencyItems onChoose={(minutes) => act({ action: 'frequency', check_frequency: minutes })} />
  );
  return (
    <>
      <IconButton label="Clear selection" onClick={clear}>
        <X {...ICON} />
      </IconButton>
      <p className="num min-w-0 flex-1 text-body font-[580] md:mr-1 md:flex-none">
        {grouped(selected.size)} selected
        {outOfView > 0 && (
          <span className="font-normal text-fg-3 max-md:block max-md:text-meta">
            <span className="max-md:hidden">, </span>
            {grouped(outOfView)} not in view
          </span>
        )}
      </p>
      {hasMore && (
        <Button variant="outline" size="small" className="max-md:hidden" onClick={() => void selectAll()}>
          {all}
        </Button>
      )}
      <div className="hidden items-center gap-0.5 border-l border-line pl-2 @min-[940px]:flex">
        {onDomains.map(actionButton)}
        <Menu
          trigger={
            <Button variant="ghost" size="small">
              <Clock {...ICON} />
              Check frequency
            </Button>
          }
        >
          {frequencies}
        </Menu>
        {[tags, remove].map(actionButton)}
      </div>
      <div className="@min-[940px]:hidden">
        <Menu
          trigger={
            <Button variant="outline" size="small">
              Actions
              <ChevronUp {...ICON} />
            </Button>
          }
        >
          {hasMore && (
            <div className="md:hidden">
              <MenuItem onSelect={() => void selectAll()}>{all}</MenuItem>
              <MenuSeparator />
            </div>
          )}
          {[...onDomains, tags].map(actionItem)}
          <MenuSeparator />
          <MenuLabel>Check frequency</MenuLabel>
          {frequencies}
          <MenuSeparator />
          {actionItem(remove)}
        </Menu>
      </div>
    </>
  );
}

interface Action {
  label: string;
  Icon: LucideIcon;
  onChoose: () => void;
  isDanger?: true;
}

function actionButton({ label, Icon, onChoose, isDanger }: Action): ReactNode {
  return (
    <Button
      key={label}
      variant="ghost"
      size="small"
      className={isDanger && 'text-critical-fg!'}
      onClick={onChoose}
    >
      <Icon {...ICON} />
      {label}
    </Button>
  );
}

function actionItem({ label, Icon, onChoose, isDanger }: Action): ReactNode {
  return (
    <MenuItem key={label} danger={isDanger} onSelect={onChoose}>
      <Icon {...ICON} />
      {label}
    </MenuItem>
  );
}

/** Returns a function to call when the bar may disappear while it has the focus: the first remaining domain then gets the focus. */
function useFocusWhenGone(isShown: boolean): () => HTMLElement | null {
  const { loaded } = useSelection();
  const first = useRef<string>(undefined);
  useEffect(() => {
    first.current = loaded[0]?.id;
  });
  const wasShown = useRef(isShown);
  useEffect(() => {
    if (wasShown.current && !isShown && document.activeElement === document.body)
      headOfList(first.current)?.focus();
    wasShown.current = isShown;
  }, [isShown]);
  return () =>
    document.querySelector<HTMLElement>('[data-selection-bar] button') ?? headOfList(first.current);
}

function headOfList(id: string | undefined): HTMLElement | null {
  return cardElement(id) ?? document.querySelector('h1');
}

/** Progress of a run, shown in place of the actions. */
function BulkProgressBar({ progress, onStop }: { progress: BulkProgress; onStop: () => void }) {
  const { action, answered, total, waiting } = progress;
  const line = progressLine(action, answered, total);
  return (
    <>
      <div className="min-w-0 flex-1 px-2">
        <p className="num mb-1.5 truncate text-label font-medium">
          {waiting === null ? line : `${line}. The server asked us to wait ${waiting} s.`}
        </p>
        <ProgressBar label={line} value={answered} max={total} />
      </div>
      <Button variant="outline" size="small" onClick={onStop}>
        Stop
      </Button>
    </>
  );
}

/** Lists the check frequencies as menu items. Those that need Premium stay focusable and say why they are disabled. */
function FrequencyItems({ onChoose }: { onChoose: (minutes: number) => void }) {
  const { isSubscribed } = useSubscription();
  return (
    <>
      {CHECK_FREQUENCIES.map(({ minutes, label, premium }) =>
        premium && !isSubscribed ? (
          <MenuItem key={minutes} aria-disabled onSelect={(event) => event.preventDefault()}>
            <span className="flex-1 text-fg-3">{label}</span>
            <span className="flex items-center gap-1 text-meta text-fg-3">
              <Lock strokeWidth={1.6} aria-hidden="true" className="size-3!" />
              Premium
            </span>
          </MenuItem>
        ) : (
          <MenuItem key={minutes} onSelect={() => onChoose(minutes)}>
            {label}
          </MenuItem>
        ),
      )}
      {!isSubscribed && <MenuLabel>Upgrade to premium to customize check frequency.</MenuLabel>}
    </>
  );
}

interface RemoveSelectedDialogProps {
  open: boolean;
  count: number;
  /** The selected domain if exactly one is selected and it is loaded, else null. */
  only: DomainWire | null;
  processing: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
  focusAfterClose: () => HTMLElement | null;
}

/** Asks for confirmation before the selected domains are removed. */
function RemoveSelectedDialog({ count, only, ...rest }: RemoveSelectedDialogProps) {
  const which = count === 1 ? 'this domain' : `these ${grouped(count)} domains`;
  return (
    <ConfirmDialog
      {...rest}
      title={`Are you sure you want to delete ${which}?`}
      description={
        only ? (
          <>
            This will permanently delete "<span className="font-mono text-fg">{only.display_name}</span>".
            This action cannot be undone.
          </>
        ) : (
          `This will permanently delete ${counted(count, 'domain')}. This action cannot be undone.`
        )
      }
    />
  );
}

/** Clears the selection on Escape, unless a panel, dialog, menu or input handles the key. */
function useClearByEscape(isSelecting: boolean, clear: () => void): void {
  useEffect(() => {
    if (!isSelecting) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      if (event.target instanceof Element && event.target.closest(ELSEWHERE)) return;
      event.preventDefault();
      clear();
    };
    // On `window`, so that it runs after all listeners on the document.
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isSelecting, clear]);
}

/** Returns how many selected domains the filter hides; 0 until known. */
function useOutOfView(): number {
  const { selected, loaded, filter } = useSelection();
  const known = new Set(loaded.map(({ id }) => id));
  const unknown = [...selected].filter((id) => !known.has(id));
  const isAsked = unknown.length > 0 && !isUnfiltered(filter);
  const { data } = useMatchingDomains(filter, isAsked);
  if (!isAsked || !data) return 0;
  const matching = new Set(data.ids);
  return unknown.filter((id) => !matching.has(id)).length;
}
