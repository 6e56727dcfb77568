import { Ellipsis } from 'lucide-react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuSeparator } from '../../../ui/menu.tsx';
import type { DomainActions } from '../domain-actions.ts';
import { PauseItem, RefreshItem, RemoveItem } from '../menu-items.tsx';

/** What can be done with the domain whose details are shown. */
export function PanelMenu({ domain, actions }: { domain: DomainWire; actions: DomainActions }) {
  return (
    <Menu
      trigger={
        <IconButton label="Actions" className="max-md:size-11">
          <Ellipsis className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      }
    >
      <RefreshItem domain={domain} actions={actions} />
      <PauseItem domain={domain} actions={actions} />
      <MenuSeparator />
      <RemoveItem domain={domain} actions={actions} />
    </Menu>
  );
}
