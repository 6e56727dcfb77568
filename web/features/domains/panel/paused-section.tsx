import type { DomainWire } from '../../../../contract/domain.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { useUpgrade } from '../../../lib/upgrade.ts';
import { Button } from '../../../ui/button.tsx';
import { Time } from '../../../ui/time.tsx';
import type { DomainActions } from '../domain-actions.ts';
import { PanelSection } from './panel-section.tsx';
import { pausedLine } from '../paused-line.ts';

/** Why a domain is not checked, what that means, and the way on. */
export function PausedSection({ domain, actions }: { domain: DomainWire; actions: DomainActions }) {
  const { limits } = usePublicConfig();
  const { isSold, open } = useUpgrade();
  const { paused, last_checked_at: lastCheckedAt } = domain;
  if (paused === null) return null;
  return (
    <PanelSection title={pausedLine(paused, limits.free_domains)}>
      <p className="text-label text-fg-2">
        {paused === 'unconfirmed' &&
          'It was added before you confirmed your address. Resume it if it is yours, or remove it. '}
        It is not checked, and no alert goes out.
        {lastCheckedAt !== null && (
          <>
            {' '}
            What is shown below was seen on <Time iso={lastCheckedAt} />.
          </>
        )}
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="outline" size="small" onClick={() => actions.resume(domain)}>
          Resume
        </Button>
        {paused === 'unconfirmed' && (
          <Button variant="danger-outline" size="small" onClick={() => actions.askToRemove(domain)}>
            Remove
          </Button>
        )}
        {paused === 'plan' && isSold && (
          <Button variant="tinted" size="small" onClick={() => open('wish')}>
            Upgrade to Premium
          </Button>
        )}
      </div>
    </PanelSection>
  );
}
