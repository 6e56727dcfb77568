import { useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { lazyPart } from '../../../ui/lazy.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { FoldedSection } from '../panel/disclosure.tsx';

const BadgeSwitch = lazyPart(
  async () => (await import('./badge-switch.tsx')).BadgeSwitch,
  <Skeleton className="h-9 w-40" />,
);

/** The panel's part on the picture for pages of others; what is in it comes when it is opened. */
export function BadgeSection({ domain }: { domain: DomainWire }) {
  const [wasOpen, setWasOpen] = useState(false);
  return (
    <FoldedSection
      title="Badge"
      line="A picture of its state, for a README or a page of yours"
      onToggle={(isOpen) => isOpen && setWasOpen(true)}
    >
      {wasOpen && <BadgeSwitch id={domain.id} name={domain.display_name} />}
    </FoldedSection>
  );
}
