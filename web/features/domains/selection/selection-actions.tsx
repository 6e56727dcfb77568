import { ChevronUp, Clock, Pause, Play, RefreshCw, Tag, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { BULK_SIZE } from '../../../../contract/words.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx';
import { cardElement } from '../domain-actions.ts';
import { useOpenDomain } from '../use-open-domain.ts';
import { grouped } from './bulk-outcome.ts';
import type { BulkAction } from './bulk-outcome.ts';
import { BulkProgressBar } from './bulk-progress-bar.tsx';
import { FrequencyItems } from './frequency-items.tsx';
import { RemoveSelectedDialog } from './remove-selected-dialog.tsx';
import { useSelection } from './selection-context.ts';
import { TagsDialog } from './tags-dialog.tsx';
import { TroubleDialog } from './trouble-dialog.tsx';
import { onlyOne, useBulk } from './use-bulk.ts';
import { useClearByEscape } from './use-clear-by-escape.ts';
import { useOutOfView } from './use-out-of-view.ts';

const ICON = { className: 'size-4', strokeWidth: 1.6, 'aria-hidden': true } as const;

type Opened = 'remove' | 'tags' | null;

/** The bar at the bottom of the page while domains are selected, and the dialogs that belong to it. */
export function SelectionActions() {
  const { selected, isSelecting, loaded, clear } = useSelection();
  const bulk = useBulk();
  const [opened, setOpened] = useState<Opened>(null);
  const isRunning = bulk.progress !== null;
  useClearByEscape(isSelecting && !isRunning, clear);
  const focusFirst = useFocusWhenGone(isSelecting || isRunning);

  const act = (action: BulkAction) => void bulk.run(action);
  const only = onlyOne(selected, loaded);
  // What was confirmed: while it is removed, the selection already loses what is gone.
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
          // More than one batch takes its time, and can be stopped from the bar.
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

/** Above the button of narrow screens, beside the open panel of wide ones. */
function Frame({ children }: { children: ReactNode }) {
  const { openId } = useOpenDomain();
  return (
    <div
      className={classNames(
        'pointer-events-none fixed inset-x-0 bottom-0 z-20 pb-[calc(76px+env(safe-area-inset-bottom))] md:pb-6',
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

function Actions({ act, open }: ActionsProps) {
  const { selected, total, selectAll, clear } = useSelection();
  const outOfView = useOutOfView();
  const hasMore = total > selected.size - outOfView;
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
          Select all {grouped(total)}
        </Button>
      )}
      <div className="hidden items-center gap-0.5 border-l border-line pl-2 @min-[940px]:flex">
        <Button variant="ghost" size="small" onClick={() => act({ action: 'check' })}>
          <RefreshCw {...ICON} />
          Check now
        </Button>
        <Button variant="ghost" size="small" onClick={() => act({ action: 'pause' })}>
          <Pause {...ICON} />
          Pause
        </Button>
        <Button variant="ghost" size="small" onClick={() => act({ action: 'resume' })}>
          <Play {...ICON} />
          Resume
        </Button>
        <Menu
          trigger={
            <Button variant="ghost" size="small">
              <Clock {...ICON} />
              Check frequency
            </Button>
          }
        >
          <FrequencyItems onChoose={(minutes) => act({ action: 'frequency', check_frequency: minutes })} />
        </Menu>
        <Button variant="ghost" size="small" onClick={() => open('tags')}>
          <Tag {...ICON} />
          Tags
        </Button>
        <Button variant="ghost" size="small" className="text-critical-fg!" onClick={() => open('remove')}>
          <X {...ICON} />
          Remove
        </Button>
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
              <MenuItem onSelect={() => void selectAll()}>Select all {grouped(total)}</MenuItem>
              <MenuSeparator />
            </div>
          )}
          <MenuItem onSelect={() => act({ action: 'check' })}>
            <RefreshCw {...ICON} />
            Check now
          </MenuItem>
          <MenuItem onSelect={() => act({ action: 'pause' })}>
            <Pause {...ICON} />
            Pause
          </MenuItem>
          <MenuItem onSelect={() => act({ action: 'resume' })}>
            <Play {...ICON} />
            Resume
          </MenuItem>
          <MenuItem onSelect={() => open('tags')}>
            <Tag {...ICON} />
            Tags
          </MenuItem>
          <MenuSeparator />
          <MenuLabel>Check frequency</MenuLabel>
          <FrequencyItems onChoose={(minutes) => act({ action: 'frequency', check_frequency: minutes })} />
          <MenuSeparator />
          <MenuItem danger onSelect={() => open('remove')}>
            <X {...ICON} />
            Remove
          </MenuItem>
        </Menu>
      </div>
    </>
  );
}

/** Once the bar has gone with the focus in it, the first domain that is left takes the focus. */
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
  return (id === undefined ? null : cardElement(id)) ?? document.querySelector('h1');
}
