import { CALLS } from '../../../contract/calls/calls.ts';
import { certificateDiff } from '../../core/certificate-diff.ts';
import { displayName } from '../../core/endpoint.ts';
import { readChain } from '../../core/facts.ts';
import { certificateDers } from '../../store/checks/certificates.ts';
import { forecastOf } from '../../store/forecasts/forecasts.ts';
import { forecastRecord } from '../../store/forecasts/renewals.ts';
import { findMonitor } from '../../store/monitors/monitors.ts';
import { uptimeHistory } from '../../store/checks/uptime.ts';
import type { Api, AppParts } from '../http/api.ts';
import { DOMAIN_REFUSALS } from './domain-refusals.ts';
import { refuse } from '../http/problem.ts';
import { emptyReportWire, forecastWire, reportWire } from './report-wire.ts';
import { unreachableWire } from './domain-wire.ts';
import { certificatePair } from '../../store/checks/certificate-history.ts';

/** Serves the report of a domain's last check, and the differences between two of its certificates. */
export function domainReportRoutes(api: Api, { store, config }: AppParts): void {
  api.on(CALLS.domainReport, async ({ params, session, now }) => {
    const accountId = session.account.id;
    const monitor = await findMonitor(store, { accountId, monitorId: params.id });
    if (monitor === null) return DOMAIN_REFUSALS.notFound();
    const { verdict, certificate: facts } = monitor;
    if (verdict === null) return { data: emptyReportWire(displayName(monitor)) };
    const chain = verdict.chainToServe;
    const ders = chain && (await certificateDers(store, chain));
    const chainPem =
      ders &&
      readChain(ders)
        .map(({ pem }) => pem)
        .join('');
    const history = await uptimeHistory(store, { accountId, monitorId: monitor.id, now });
    const [latest] = history?.incidents ?? [];
    const uptime = {
      state: monitor.uptime,
      downSince: monitor.downSince,
      cause: latest?.endedAt === null ? latest.message : null,
      percent: history?.percent ?? null,
      windowDays: history?.windowDays ?? null,
    };
    const failureMessage = unreachableWire(monitor)?.message ?? null;
    const forecast = await forecastOf(store, { accountId, monitorId: monitor.id });
    const isPending = forecast === 'pending' && config.forecasts;
    const shown = {
      forecast:
        forecast === null || forecast === 'pending'
          ? null
          : forecastWire(forecast, await forecastRecord(store, accountId)),
      forecast_pending: isPending,
    };
    return {
      data: reportWire({ endpoint: monitor, verdict, facts, chainPem, uptime, failureMessage, now }, shown),
    };
  });

  api.on(CALLS.historyDiff, async ({ params, query, session }) => {
    const accountId = session.account.id;
    const pair = await certificatePair(store, { accountId, monitorId: params.id, ...query });
    if (pair === null) return DOMAIN_REFUSALS.notFound();
    if (pair === 'not_kept')
      return refuse(
        'not_found',
        'We kept only the names and dates of one of these certificates, so they cannot be compared.',
      );
    const diff = certificateDiff(pair.before, pair.after);
    return {
      data: {
        names_added: diff.namesAdded,
        names_lost: diff.namesLost,
        issuer: diff.issuer,
        subject: diff.subject,
        key: diff.key,
        same_key: diff.sameKey,
        lifetime_days: diff.lifetimeDays,
        signature_algorithm: diff.signatureAlgorithm,
      },
    };
  });
}
