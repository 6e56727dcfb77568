import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';
import type { DnsAnswer, ForecastEvidence } from '../../../server/core/forecast/evidence.ts';
import type { Forecast } from '../../../server/core/forecast/forecast.ts';
import { makeForecast } from '../../../server/core/forecast/make-forecast.ts';
import type { CertificateFacts } from '../../../server/core/facts.ts';
import { parseFacts } from '../../../server/store/checks/certificates.ts';
import type { Store } from '../../../server/store/db/open-store.ts';
import { inTransaction } from '../../../server/store/db/transaction.ts';
import {
  claimDueForecasts,
  registerForecasts,
  releaseForecast,
  saveForecast,
} from '../../../server/store/forecasts/forecasts.ts';

/** What the DNS and the web server of a host answer. The rest is as it should be. */
export interface ForecastHost {
  host: string;
  /** CAs that the CAA records of the host name; without CAs, the host has no CAA records. */
  caa?: readonly string[];
  /** True if port 80 of the host refuses connections. */
  isPortClosed?: boolean;
}

const NOTHING: DnsAnswer<never> = { outcome: 'no_name', aliases: [], security: 'secure' };
const records = <Found>(...found: Found[]): DnsAnswer<Found> => ({
  outcome: 'records',
  records: found,
  aliases: [],
  security: 'secure',
});

function evidenceOf({ host, caa = [], isPortClosed = false }: ForecastHost, at: number): ForecastEvidence {
  const properties = caa.map((value) => ({ flags: 0, tag: 'issue', value }));
  const address = '192.0.2.10';
  const url = `http://${host}/.well-known/acme-challenge/token`;
  return {
    at,
    names: [
      {
        name: host,
        caa: [{ domain: host, answer: caa.length === 0 ? NOTHING : records(...properties) }],
        zone: 'exists',
        ipv4: records(address),
        ipv6: { outcome: 'no_data', aliases: [], security: 'secure' },
        challenge: NOTHING,
        challengeZone: 'exists',
        persist: NOTHING,
      },
    ],
    unread: 0,
    http: [
      {
        host,
        results: [
          {
            address,
            result: isPortClosed
              ? { outcome: 'no_connection', why: 'refused' }
              : { outcome: 'answered', status: 404, url, isPage: false },
          },
        ],
      },
    ],
    resolverValidates: true,
  };
}

/** Returns the forecast for a certificate of a host, made at `at` (ms UTC). */
function forecastFor(host: ForecastHost, facts: CertificateFacts, at: number): Forecast {
  const { fingerprint, notBefore, notAfter, authorityName, issuer } = facts;
  return makeForecast(evidenceOf(host, at), {
    certificate: {
      fingerprint,
      notBefore,
      notAfter,
      sans: [host.host],
      issuerOrganization: authorityName,
      issuerName: issuer,
    },
    renewalWindow: null,
    registrations: [],
    renewals: [],
    otherRenewals: [],
    unreachable443: [],
    first: null,
    now: at,
  });
}

/**
 * Stores forecasts for hosts that an account watches, as the worker does. The certificates need no public root, which certificates of tests
 * never have. The next forecasts are due in ten days.
 */
export async function storeForecasts(
  store: Store,
  { accountId, hosts, now }: { accountId: string; hosts: readonly ForecastHost[]; now: number },
): Promise<void> {
  const rows = await store.db
    .selectFrom('monitors')
    .innerJoin('certificates', 'certificates.fingerprint', 'monitors.certificate_fingerprint')
    .select(['host', 'certificates.fingerprint', 'facts'])
    .where('account_id', '=', accountId)
    .where(
      'host',
      'in',
      hosts.map(({ host }) => host),
    )
    .execute();
  const fingerprints = rows.map(({ fingerprint }) => fingerprint).toSorted();
  await inTransaction(store, (trx) => registerForecasts(trx, { accountId, fingerprints, now }));
  const claims = await claimDueForecasts(store, { now, limit: 100, leaseEndsAt: now + MINUTE_MS });
  for (const claim of claims) {
    const row = rows.find(({ fingerprint }) => fingerprint === claim.fingerprint);
    const host = hosts.find((each) => each.host === row?.host);
    const facts = parseFacts(row?.facts ?? null);
    if (host === undefined || facts === null) {
      await releaseForecast(store, claim, now);
      continue;
    }
    const forecast = forecastFor(host, facts, now);
    await saveForecast(store, claim, { forecast, facts, nextAt: now + 10 * DAY_MS, now });
  }
}
