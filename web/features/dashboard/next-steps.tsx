import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { testChannel } from '../../../contract/calls/alert.ts';
import { actOnDomains, domainIds } from '../../../contract/calls/domain.ts';
import { OWN_MAIL } from '../../../contract/channel.ts';
import type { StandingWire } from '../../../contract/account.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { BULK_SIZE, CHECK_FREQUENCIES, DEFAULT_CHECK_EVERY_MINUTES } from '../../../contract/words.ts';
import { firstDays } from '../../domain/day-and-month.ts';
import { useDomainCache } from '../../domain/domain-cache.ts';
import { inBatches } from '../../domain/in-batches.ts';
import { domainAlertsOf, useChannels } from '../../lib/alerts/alert-queries.ts';
import { reachedChannels } from '../../lib/alerts/reaches-anybody.ts';
import { call } from '../../lib/api-client.ts';
import { useCurrentUser } from '../../lib/account/current-user.ts';
import { useStanding } from '../../lib/account/standing.ts';
import { createPreference } from '../../lib/browser/preference.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { counted, listed } from '../../lib/format.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button, buttonClass, IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';

const firstDomainStrip = createPreference('first-domain-strip', ['shown', 'hidden'], 'shown');

interface NextStepsProps {
  /** The loaded domains of the account. */
  domains: readonly DomainWire[];
  /** Whether `domains` has all domains of the account. */
  isComplete: boolean;
  /** In ms UTC. */
  now: number;
  onAdd: () => void;
}

/** Suggests what to do after the first domain was added, and after Premium was bought. */
export function NextSteps({ domains, isComplete, now, onAdd }: NextStepsProps) {
  const standing = useStanding();
  const isFirstShown = firstDomainStrip.use() === 'shown';
  const { limits } = usePublicConfig();
  const { id: userId } = useCurrentUser();
  // The offer of faster checks is shown to each account once.
  const [frequencyStrip] = useState(() =>
    createPreference(`frequency-strip ${userId}`, ['shown', 'hidden'], 'shown'),
  );
  const isFrequencyShown = frequencyStrip.use() === 'shown';
  const [first] = domains;
  if (standing === null || first === undefined) return null;
  const begunAt = premiumBegan(standing, limits.trial_days);
  const daily = domains.filter(
    (domain) =>
      domain.check_every_minutes === DEFAULT_CHECK_EVERY_MINUTES && Date.parse(domain.created_at) < begunAt,
  );
  // During a trial, the offer depends on when each domain was added. That is known only for loaded domains.
  if (isFrequencyShown && daily.length > 0 && (isComplete || begunAt === Infinity))
    return (
      <FrequencyStrip daily={daily} isComplete={isComplete} onHide={() => frequencyStrip.set('hidden')} />
    );
  if (isComplete && domains.length === 1 && isFirstShown)
    return <FirstDomainStrip domain={first} now={now} isProven={standing.email_verified} onAdd={onAdd} />;
  return null;
}

/** Returns when Premium began, in ms UTC: domains added before could not choose faster checks. 0 without Premium. */
function premiumBegan({ source, ends_at: endsAt }: StandingWire, trialDays: number): number {
  // We do not know when a subscription started, and the payment may have resumed domains with daily checks. So every domain
  // is treated as older than Premium.
  if (source === 'subscription') return Infinity;
  return source === 'trial' && endsAt !== null ? Date.parse(endsAt) - trialDays * DAY_MS : 0;
}

interface FirstDomainStripProps extends Pick<NextStepsProps, 'now' | 'onAdd'> {
  domain: DomainWire;
  /** Whether the account's email address is verified. */
  isProven: boolean;
}

function FirstDomainStrip({ domain, now, isProven, onAdd }: FirstDomainStripProps) {
  const { email } = useCurrentUser();
  const { id, fingerprint } = domain;
  const { data: alerts } = useQuery({ ...domainAlertsOf(id, fingerprint), enabled: fingerprint !== null });
  const { data: channels } = useChannels();
  const subscribed = channels?.filter(({ key }) => !alerts?.unsubscribed.includes(key)) ?? [];
  const reached = reachedChannels(subscribed, alerts?.effective.channels ?? null);
  const hasMail = reached.some(({ key }) => key === OWN_MAIL);
  const reader = hasMail ? email : listed(reached.map(({ name }) => name));
  const test = useWrite({
    mutationFn: () =>
      Promise.all(
        (hasMail ? [OWN_MAIL] : reached.map(({ key }) => key)).map((key) =>
          call(testChannel, { params: { key } }),
        ),
      ),
    onSuccess: () => toast.success(`We sent a test to ${reader}.`),
    onError: (error) => toast.error(failureText(error, 'Could not send the test: ')),
  });
  if (alerts === undefined || alerts.planned.length === 0 || reached.length === 0) return null;
  const days = firstDays(
    alerts.planned.map(({ at }) => at),
    now,
  );
  return (
    <Strip
      tone={isProven ? 'ok' : 'plain'}
      onHide={() => firstDomainStrip.set('hidden')}
      actions={
        <>
          <Button variant="outline" size="small" busy={test.isPending} onClick={() => test.mutate()}>
            Send a test
          </Button>
          <Link to="/alerts" state={{ addsChannel: 'slack' }} className={buttonClass('outline', 'small')}>
            Add Slack
          </Link>
          <Button variant="outline" size="small" onClick={onAdd}>
            Add more
          </Button>
        </>
      }
    >
      We’ll {hasMail ? 'email' : 'alert'} <b className="font-[560]">{reader}</b> on {days}, unless the
      certificate is renewed.
    </Strip>
  );
}

const [FASTEST] = CHECK_FREQUENCIES;

interface FrequencyStripProps {
  /** Loaded domains that are checked once a day. */
  daily: readonly DomainWire[];
  /** Whether all domains of the account are loaded. */
  isComplete: boolean;
  onHide: () => void;
}

/** Offers the fastest checks for all domains that were added before Premium began. */
function FrequencyStrip({ daily, isComplete, onHide }: FrequencyStripProps) {
  const cache = useDomainCache();
  const subject = !isComplete ? 'Your domains are' : counted(daily.length, 'domain is', 'domains are');
  const change = useWrite({
    mutationFn: async () => {
      const ids = isComplete ? daily.map(({ id }) => id) : (await call(domainIds, { query: {} })).ids;
      const refused = new Set<string>();
      const { error } = await inBatches({
        items: ids,
        size: BULK_SIZE,
        send: (batch) =>
          call(actOnDomains, {
            body: {
              action: 'frequency',
              ids: [...batch],
              check_frequency: FASTEST.minutes,
              // Domains, loaded or not, for which somebody has chosen a slower interval keep it.
              instead_of: DEFAULT_CHECK_EVERY_MINUTES,
            },
          }),
        onAnswers: (_, answers) => {
          cache.reread();
          for (const { message } of answers) if (message !== null) refused.add(message);
        },
        signal: new AbortController().signal,
      });
      if (error !== null) throw error;
      return [...refused];
    },
    onSuccess: ([refusal]) => {
      if (refusal !== undefined) toast.error(`Could not change the frequency: ${refusal}`);
      else toast.success('Check frequency updated!');
      onHide();
    },
    onError: (error) => toast.error(failureText(error, 'Could not change the frequency: ')),
  });
  return (
    <Strip
      tone="plain"
      onHide={onHide}
      actions={
        <Button variant="outline" size="small" busy={change.isPending} onClick={() => change.mutate()}>
          Check every {FASTEST.minutes} minutes
        </Button>
      }
    >
      {subject} still checked once a day. Premium checks as often as every {FASTEST.minutes} minutes.
    </Strip>
  );
}

interface StripProps {
  tone: 'ok' | 'plain';
  children: ReactNode;
  actions: ReactNode;
  onHide: () => void;
}

function Strip({ tone, children, actions, onHide }: StripProps) {
  return (
    <section
      aria-label="Next steps"
      className={classNames(
        'mt-5 flex items-start gap-2 rounded-4 border border-line py-1 pr-1 pl-4 text-label md:py-2 md:pr-2',
        tone === 'ok' ? 'bg-ok-bg text-ok-fg' : 'bg-sunken text-fg-2',
      )}
    >
      <div className="flex flex-1 flex-wrap items-center gap-x-4 gap-y-2 py-2 md:py-0.5">
        <p className="flex min-w-0 flex-1 basis-64 items-start gap-2 [overflow-wrap:anywhere]">
          {tone === 'ok' && <Glyph name="active" className="mt-0.5 size-3.5 flex-none text-ok-mark" />}
          <span className="min-w-0">{children}</span>
        </p>
        <span className="flex flex-wrap gap-2">{actions}</span>
      </div>
      <IconButton label="Hide" onClick={onHide}>
        <X className="size-4" strokeWidth={1.6} aria-hidden="true" />
      </IconButton>
    </section>
  );
}
