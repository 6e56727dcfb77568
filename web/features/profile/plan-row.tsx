import type { StandingWire } from '../../../contract/account.ts';
import { longDate } from '../../lib/dates.ts';
import { useOffer } from '../../lib/offer.ts';
import { useStanding } from '../../lib/standing.ts';
import { useUpgrade } from '../../lib/upgrade.ts';
import { Button } from '../../ui/button.tsx';
import { Row } from '../../ui/row.tsx';

/** What the account has, until when, and what can be bought; nothing where everybody has everything. */
export function PlanRow() {
  const standing = useStanding();
  const offer = useOffer();
  const { open } = useUpgrade();
  if (!standing || standing.source === 'deployment') return null;
  return (
    <Row title="Plan" description="How many domains, and how often.">
      <p className="text-body">{planText(standing)}</p>
      {offer && (
        <Button variant="tinted" className="mt-3 max-md:w-full" onClick={() => open('wish')}>
          {offer}
        </Button>
      )}
    </Row>
  );
}

function planText({ plan, status, source, ends_at: endsAt }: StandingWire): string {
  if (plan === 'free') return 'Free';
  const until = endsAt === null ? '' : ` until ${longDate(endsAt)}`;
  if (source === 'trial') return `Premium trial${until}`;
  if (status === 'past_due') return `Premium${until}: your last payment did not go through`;
  return `Premium${until}`;
}
