import { Pause, Play, RefreshCw, X } from 'lucide-react';
import type { DomainWire } from '../../../contract/domain.ts';
import { MenuItem } from '../../ui/menu.tsx';
import type { DomainActions } from './domain-actions.ts';
import { KeyHint } from './key-hint.tsx';

interface ItemProps {
  domain: DomainWire;
  actions: DomainActions;
}

export function RefreshItem({ domain, actions }: ItemProps) {
  return (
    <MenuItem disabled={domain.paused !== null} onSelect={() => actions.refresh(domain)}>
      <RefreshCw strokeWidth={1.6} aria-hidden="true" />
      Refresh
      <KeyHint>r</KeyHint>
    </MenuItem>
  );
}

/** Pauses what is checked, and resumes what is paused. */
export function PauseItem({ domain, actions }: ItemProps) {
  const isPaused = domain.paused !== null;
  const Icon = isPaused ? Play : Pause;
  return (
    <MenuItem onSelect={() => (isPaused ? actions.resume : actions.pause)(domain)}>
      <Icon strokeWidth={1.6} aria-hidden="true" />
      {isPaused ? 'Resume' : 'Pause'}
    </MenuItem>
  );
}

export function RemoveItem({ domain, actions }: ItemProps) {
  return (
    <MenuItem danger onSelect={() => actions.askToRemove(domain)}>
      <X strokeWidth={1.6} aria-hidden="true" />
      Remove
      <KeyHint>Del</KeyHint>
    </MenuItem>
  );
}
