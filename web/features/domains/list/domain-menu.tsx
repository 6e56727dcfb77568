import { Ellipsis, PanelRight, Pause, Play, RefreshCw, X } from 'lucide-react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import type { DomainActions } from '../domain-actions.ts';
import { KeyHint } from '../key-hint.tsx';

interface DomainMenuProps {
  domain: DomainWire;
  actions: DomainActions;
}

export function DomainMenu({ domain, actions }: DomainMenuProps) {
  const isPaused = domain.paused !== null;
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${domain.display_name}`} className="relative z-1">
          <Ellipsis className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      }
    >
      <MenuItem disabled={isPaused} onSelect={() => actions.refresh(domain)}>
        <RefreshCw strokeWidth={1.6} aria-hidden="true" />
        Refresh
        <KeyHint>r</KeyHint>
      </MenuItem>
      <MenuItem onSelect={() => actions.showDetails(domain)}>
        <PanelRight strokeWidth={1.6} aria-hidden="true" />
        Show Details
        <KeyHint>↵</KeyHint>
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
