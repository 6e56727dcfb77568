import { Ellipsis, Pause, Play, RefreshCw, X } from 'lucide-react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import type { DomainActions } from '../domain-actions.ts';
import { KeyHint } from '../key-hint.tsx';

/** What can be done with the domain whose details are shown. */
export function PanelMenu({ domain, actions }: { domain: DomainWire; actions: DomainActions }) {
  const isPaused = domain.paused !== null;
  return (
    <Menu
      trigger={
        <IconButton label="Actions" className="max-lg:size-11">
          <Ellipsis className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      }
    >
      <MenuItem disabled={isPaused} onSelect={() => actions.refresh(domain)}>
        <RefreshCw strokeWidth={1.6} aria-hidden="true" />
        Refresh
        <KeyHint>r</KeyHint>
      </MenuItem>
      {isPaused ? (
        <MenuItem onSelect={() => actions.resume(domain)}>
          <Play strokeWidth={1.6} aria-hidden="true" />
          Resume
        </MenuItem>
      ) : (
        <MenuItem onSelect={() => actions.pause(domain)}>
          <Pause strokeWidth={1.6} aria-hidden="true" />
          Pause
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem danger onSelect={() => actions.askToRemove(domain)}>
        <X strokeWidth={1.6} aria-hidden="true" />
        Remove
        <KeyHint>Del</KeyHint>
      </MenuItem>
    </Menu>
  );
}
