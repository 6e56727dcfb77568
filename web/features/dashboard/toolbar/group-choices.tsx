import type { DomainGrouping } from '../../../../contract/words.ts';
import { MenuChoices, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx';

/** Stands for "no grouping" in the menu. No grouping has this name. */
const NONE = 'none' as const;

const CHOICES: [DomainGrouping | typeof NONE, string][] = [
  [NONE, 'One list'],
  ['tag', 'Tag'],
  ['issuer', 'Issuer'],
  ['state', 'State'],
];

interface GroupChoicesProps {
  group: DomainGrouping | undefined;
  onGroup: (group: DomainGrouping | undefined) => void;
}

/** Chooses in a menu what the list is grouped by. */
export function GroupChoices({ group, onGroup }: GroupChoicesProps) {
  return (
    <>
      <MenuSeparator />
      <MenuLabel>Group by</MenuLabel>
      <MenuChoices
        value={group ?? NONE}
        onChange={(value) => onGroup(value === NONE ? undefined : value)}
        // An empty icon: these labels are aligned with those of the orders, which have icons.
        choices={CHOICES.map(([value, label]) => ({ value, label, icon: <span className="w-4" /> }))}
      />
    </>
  );
}
