import { Ellipsis, PanelRight, SquareCheck } from 'lucide-react';
import { useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { IconButton } from '../../../ui/button.tsx';
import { KeyHint, Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { type DomainActions, PauseItem, RefreshItem, RemoveItem } from '../../../domain/domain-actions.tsx';
import { useSelection } from '../selection/selection-provider.tsx';

interface DomainMenuProps {
  domain: DomainWire;
  actions: DomainActions;
}

/** Opens a domain's menu. The menu's content is rendered at the first press, because a list has hundreds of menus. */
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
  const { selected, toggle } = useSelection();
  return (
    <>
      <RefreshItem domain={domain} actions={actions} />
      <MenuItem onSelect={() => actions.showDetails(domain)}>
        <PanelRight strokeWidth={1.6} aria-hidden="true" />
        Show Details
        <KeyHint>↵</KeyHint>
      </MenuItem>
      <PauseItem domain={domain} actions={actions} />
      <MenuItem onSelect={() => toggle(domain.id)}>
        <SquareCheck strokeWidth={1.6} aria-hidden="true" />
        {selected.has(domain.id) ? 'Deselect' : 'Select'}
      </MenuItem>
      <MenuSeparator />
      <RemoveItem domain={domain} actions={actions} />
    </>
  );
}
