import { useQuery } from '@tanstack/react-query';
import type { PlannedAlertWire } from '../../../../contract/alerting.ts';
import { DAY_MS, HOUR_MS } from '../../../../contract/durations.ts';
import { formatInstant } from '../../../../contract/time-zone.ts';
import { useCurrentUser } from '../../../lib/account/current-user.ts';
import { alertPreview, useAccountAlerts } from '../../../lib/alerts/alert-queries.ts';
import { counted } from '../../../lib/format.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { Glyph } from '../../../ui/glyph.tsx';

/** Shows the next planned alert as the email that would be sent, with its times in the account's time zone. */
export function MailPreview() {
  const { product_name: productName } = usePublicConfig();
  const { email, timeZone } = useCurrentUser();
  const written = (instant: string) => formatInstant(Date.parse(instant), timeZone ?? 'UTC');
  const steps = useAccountAlerts().data?.settings.steps ?? null;
  const { data, isError } = useQuery(alertPreview({ steps }));
  if (data === undefined) return isError && <p className="text-label text-fg-3">Not loaded</p>;
  const [next] = data.alerts;
  if (next === undefined) return <p className="text-label text-fg-2">No alert is planned yet.</p>;
  const isCritical = next.severity === 'critical';
  const hasExpired = next.at >= next.expiry_date;
  return (
    <div className="rounded-4 border border-line-2 bg-surface shadow-1">
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 border-b border-line px-5 py-3.5 text-meta [overflow-wrap:anywhere]">
        <dt className="text-fg-3">From</dt>
        <dd>{productName}</dd>
        <dt className="text-fg-3">To</dt>
        <dd>{email}</dd>
        <dt className="text-fg-3">Sent on</dt>
        <dd className="num">{written(next.at)}</dd>
      </dl>
      <div className="px-5 py-4 [overflow-wrap:anywhere]">
        <p className="flex items-start gap-2 text-lead/6 font-semibold">
          <Glyph
            name={isCritical ? 'critical' : 'soon'}
            className={`mt-1 size-4 flex-none [--glyph-cut:var(--surface)] ${isCritical ? 'text-critical-mark' : 'text-soon-mark'}`}
          />
          <span className="min-w-0">
            {next.display_name} {expiryWords(next, written)}
          </span>
        </p>
        <p className="mt-2.5 text-body text-fg-2">
          The certificate for {next.certificate_name ?? next.display_name}{' '}
          {hasExpired ? 'expired' : 'expires'} on {written(next.expiry_date)}.{' '}
          {hasExpired ? 'Renew it now.' : 'Renew it before then.'}
        </p>
      </div>
    </div>
  );
}

/** Returns 'expires in 14 days', or 'expired on 22 November 2026, 14:32 UTC', as of the time when the alert is sent. */
function expiryWords(
  { at, expiry_date: expiry }: PlannedAlertWire,
  written: (instant: string) => string,
): string {
  const left = Date.parse(expiry) - Date.parse(at);
  if (left < HOUR_MS) return left > 0 ? 'expires within an hour' : `expired on ${written(expiry)}`;
  return left < 2 * DAY_MS
    ? `expires in ${counted(Math.floor(left / HOUR_MS), 'hour')}`
    : `expires in ${counted(Math.floor(left / DAY_MS), 'day')}`;
}
