import type { DomainWire } from '../../../../contract/domain.ts';
import type { DomainActions } from '../../../domain/domain-actions.tsx';
import type { DomainList } from '../list/use-domain-list.ts';
import { nextSort, statusOfKey } from '../toolbar/choices.ts';
import { useDashboardSearch } from '../use-dashboard-search.ts';
import { focusedDomainId, useDashboardKeys } from './use-dashboard-keys.ts';

interface CommandTargets {
  list: DomainList;
  /** The domain of the open panel. */
  opened: DomainWire | null;
  actions: DomainActions;
  onAdd: () => void;
  onSearch: () => void;
  onHelp: () => void;
  /** Moves to the next or previous domain; returns whether there is one. */
  onStep: (by: 1 | -1) => boolean;
  /** Closes the open panel; returns whether one was open. */
  closePanel: () => boolean;
}

/** Carries out the single-key commands of the dashboard. Commands on one domain act on the focused domain, else on the open one. */
export function useDashboardCommands(targets: CommandTargets): void {
  const { list, opened, actions } = targets;
  const { search, filter, view, change } = useDashboardSearch();
  useDashboardKeys((command) => {
    const focusedId = focusedDomainId();
    const subject = list.loaded.find(({ id }) => id === focusedId) ?? opened;
    switch (command.type) {
      case 'search':
        targets.onSearch();
        return true;
      case 'add':
        targets.onAdd();
        return true;
      case 'step':
        return targets.onStep(command.by);
      case 'refresh':
        if (subject) actions.refresh(subject);
        return subject !== null;
      case 'remove':
        if (subject) actions.askToRemove(subject);
        return subject !== null;
      case 'view':
        change({ view: view === 'grid' ? 'list' : 'grid' });
        return true;
      case 'sort':
        change({ sort: nextSort(filter.sort) });
        return true;
      case 'filter':
        change({ status: statusOfKey(command.place) });
        return true;
      case 'help':
        targets.onHelp();
        return true;
      default:
        if (targets.closePanel()) return true;
        if (search.q !== undefined) change({ q: undefined }, { replace: true });
        return search.q !== undefined;
    }
  });
}
