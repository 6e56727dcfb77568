import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { testEvent, testSubscription } from '../../../contract/calls/payment.ts';
import { TEST_EVENTS, type TestEvent, type TestSubscriptionWire } from '../../../contract/payment.ts';
import { call } from '../../lib/api-client.ts';
import { messageOf } from '../../lib/api-error.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useOffer, useRereadPlan } from '../../lib/account/standing.ts';
import { useUpgrade } from '../../lib/account/plan.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Spinner } from '../../ui/loading.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { TestModeMark } from './test-mode-mark.tsx';

const SUBSCRIPTION_KEY = ['test-subscription'];

const EVENT_LABELS: Record<TestEvent, { label: string; effect: string }> = {
  renew: { label: 'Renew', effect: 'The next month is paid.' },
  past_due: { label: 'Fail a payment', effect: 'The provider retries for some days.' },
  pause: { label: 'Pause', effect: 'No more payments until you resume it.' },
  resume: { label: 'Resume', effect: 'A paused subscription continues.' },
  cancel: { label: 'Cancel now', effect: 'The subscription ends at once.' },
  cancel_at_period_end: {
    label: 'Cancel at the end of the month',
    effect: 'The subscription ends after the paid month.',
  },
  refund: { label: 'Refund', effect: 'The last payment is refunded in full.' },
};

/** Stands in for the payment provider's customer portal in test mode. Production has no such page. */
export function BillingTestPage() {
  const { billing } = usePublicConfig();
  usePageTitle('Billing in test mode');
  if (billing.mode !== 'test') return <Navigate to="/dashboard" replace />;
  return (
    <div className="wrap-text pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        Billing
      </h1>
      <TestModeMark>
        Test mode: no money moves. This page stands in for the payment provider’s portal.
      </TestModeMark>
      <TestBilling />
    </div>
  );
}

function TestBilling() {
  const { data, error, refetch } = useQuery({
    queryKey: SUBSCRIPTION_KEY,
    queryFn: ({ signal }) => call(testSubscription, { signal }),
    refetchOnWindowFocus: 'always',
  });
  if (error && data === undefined)
    return (
      <div role="alert" className="mt-6">
        <p>Could not load the subscription: {messageOf(error)}</p>
        <Button variant="outline" className="mt-3" onClick={() => void refetch()}>
          Try again
        </Button>
      </div>
    );
  if (data === undefined) return <Spinner className="mt-6 text-fg-3" />;
  if (data === null)
    return (
      <>
        <p className="mt-6 text-fg-2">There is no subscription yet.</p>
        <NextSteps />
      </>
    );
  return (
    <>
      <Facts subscription={data} />
      {data.status === 'canceled' ? <NextSteps /> : <TestEvents />}
    </>
  );
}

/** Offers a new subscription or the way back once the subscription has ended. */
function NextSteps() {
  const offer = useOffer();
  const { open } = useUpgrade();
  return (
    <div className="mt-6 flex flex-wrap gap-2.5">
      {offer && (
        <Button variant="tinted" onClick={() => open('request')}>
          {offer}
        </Button>
      )}
      <Link to="/dashboard" className={buttonClass('outline')}>
        Back to the dashboard
      </Link>
    </div>
  );
}

function Facts({ subscription }: { subscription: NonNullable<TestSubscriptionWire> }) {
  const { id, status, period_ends_at: periodEndsAt, cancels_at: cancelsAt } = subscription;
  return (
    <dl className="mt-6 grid grid-cols-[110px_1fr] gap-y-2.5 text-body">
      <dt className="text-fg-3">Subscription</dt>
      <dd className="font-mono text-label [overflow-wrap:anywhere]">{id}</dd>
      <dt className="text-fg-3">Status</dt>
      <dd className="font-medium">{status}</dd>
      <dt className="text-fg-3">Paid until</dt>
      <dd>{periodEndsAt === null ? '–' : <Time iso={periodEndsAt} withTime />}</dd>
      {cancelsAt !== null && (
        <>
          <dt className="text-fg-3">Ends</dt>
          <dd>
            <Time iso={cancelsAt} withTime />
          </dd>
        </>
      )}
    </dl>
  );
}

function TestEvents() {
  const queryClient = useQueryClient();
  const rereadPlan = useRereadPlan();
  const { mutate, isPending, variables } = useWrite({
    mutationFn: (event: TestEvent) => call(testEvent, { body: { event } }),
    onSuccess: (_, event) => {
      toast.success(`Event sent: ${EVENT_LABELS[event].label}.`);
      void queryClient.invalidateQueries({ queryKey: SUBSCRIPTION_KEY });
      rereadPlan();
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <section className="mt-8 border-t border-line pt-6">
      <h2 className="text-lead/5 font-semibold">Simulate an event</h2>
      <p className="mt-1 text-fg-2">
        Each button sends the server a signed webhook, as the real provider would.
      </p>
      <ul className="mt-4 grid gap-2.5">
        {TEST_EVENTS.map((event) => (
          <li key={event} className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <Button
              variant="outline"
              className="w-full sm:w-60"
              disabled={isPending}
              busy={isPending && variables === event}
              onClick={() => mutate(event)}
            >
              {EVENT_LABELS[event].label}
            </Button>
            <span className="text-label text-fg-2">{EVENT_LABELS[event].effect}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
