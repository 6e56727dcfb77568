import { Ellipsis, PanelRight, Pause, Play, RefreshCw, SquareCheck, X } from 'lucide-react';
import { useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import type { DomainActions } from '../domain-actions.ts';
import { useSelection } from '../selection/selection-context.ts';
import { KeyHint } from '../key-hint.tsx';

interface DomainMenuProps {
  domain: DomainWire;
  actions: DomainActions;
}

/** What can be done with a domain. A list has many of these: the menu itself comes with the first press. */
export function DomainMenu({ domain, actions }: DomainMenuProps) {
  const [isWanted, setIsWanted] = useState(false);
  const label = `Actions for ${domain.display_name}`;
  const icon = <Ellipsis className="size-4" strokeWidth={1.6} aria-hidden="true" />;
  if (!isWanted)
    return (
      <IconButton
        label={label}
        aria-haspopup="menu"
        aria-expanded={false}
        className="relative z-1"
        onClick={() => setIsWanted(true)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setIsWanted(true);
        }}
      >
        {icon}
      </IconButton>
    );
  return (
    <Menu
      defaultOpen
      trigger={
        <IconButton label={label} className="relative z-1">
          {icon}
        </IconButton>
      }
    >
      <Items domain={domain} actions={actions} />
    </Menu>
  );
}

function Items({ domain, actions }: DomainMenuProps) {
  const isPaused = domain.paused !== null;
  const { selected, toggle } = useSelection();
  return (
    <>
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
      <MenuItem onSelect={() => toggle(domain.id)}>
        <SquareCheck strokeWidth={1.6} aria-hidden="true" />
        {selected.has(domain.id) ? 'Deselect' : 'Select'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger onSelect={() => actions.askToRemove(domain)}>
        <X strokeWidth={1.6} aria-hidden="true" />
        Remove
        <KeyHint>Del</KeyHint>
      </MenuItem>
    </>
  );
}
