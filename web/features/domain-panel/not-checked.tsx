import type { DomainWire } from '../../../contract/domain.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useUpgrade } from '../../lib/account/plan.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import type { DomainActions } from '../../domain/domain-actions.tsx';
import { PanelSection } from '../../domain/panel-section.tsx';
import { heldBackSentence, pausedLine } from '../../domain/domain-lines.ts';

interface NotCheckedProps {
  domain: DomainWire;
  now: number;
  actions: DomainActions;
}

/** Says why a domain is not checked at the moment, and what its owner can do. The domain is either paused, or its check is held back. */
export function NotChecked({ domain, now, actions }: NotCheckedProps) {
  const { paused, waiting } = domain;
  if (paused !== null) return <Paused domain={domain} paused={paused} actions={actions} />;
  if (waiting === null) return null;
  return (
    <PanelSection title="Check held back">
      <p role="status" className="text-label text-fg-2">
        {heldBackSentence(waiting, now)}
      </p>
    </PanelSection>
  );
}

interface PausedProps {
  domain: DomainWire;
  paused: NonNullable<DomainWire['paused']>;
  actions: DomainActions;
}

function Paused({ domain, paused, actions }: PausedProps) {
  const { limits } = usePublicConfig();
  const { isSold, open } = useUpgrade();
  const { last_checked_at: lastCheckedAt } = domain;
  return (
    <PanelSection title={pausedLine(paused, limits.free_domains)}>
      <p className="text-label text-fg-2">
        {paused === 'unconfirmed' &&
          'This domain was added before you confirmed your email address. Resume it if you added it, or delete it. '}
        We do not check it and send no alerts about it.
        {lastCheckedAt !== null && (
          <>
            {' '}
            The details below are from <Time iso={lastCheckedAt} />.
          </>
        )}
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="outline" size="small" onClick={() => actions.resume(domain)}>
          Resume
        </Button>
        {paused === 'unconfirmed' && (
          <Button variant="danger-outline" size="small" onClick={() => actions.askToRemove(domain)}>
            Delete
          </Button>
        )}
        {paused === 'plan' && isSold && (
          <Button variant="tinted" size="small" onClick={() => open('request')}>
            Upgrade to Premium
          </Button>
        )}
      </div>
    </PanelSection>
  );
}
