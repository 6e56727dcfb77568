import { CALLS } from '../../contract/calls/calls.ts';
import type { Observation } from '../../server/core/observation.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import type { TestApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';

const authority = mintAuthority();
const intermediate = authority.intermediate({});

/** Adds a domain without checking it. */
export const addUnchecked = async (person: Person, host: string): Promise<string> =>
  (await person.ask(CALLS.addDomain, { body: { host } })).ok.data.id;

/**
 * Records a check of this domain and of all other due ones. The host has a certificate with `days` left and answers HTTPS
 * with `status`. If `isComplete` is false, it does not send the intermediate.
 */
export async function recordCheck(
  { store, clock }: TestApi,
  id: string,
  {
    days = 60,
    lifetimeDays = 90,
    status = 200,
    trusted = true,
    isComplete = true,
  }: { days?: number; lifetimeDays?: number; status?: number; trusted?: boolean; isComplete?: boolean } = {},
): Promise<void> {
  await store.db.updateTable('monitors').set({ next_check_at: clock.now() }).where('id', '=', id).execute();
  const notAfter = Math.floor(clock.now() / 1_000) * 1_000 + days * DAY_MS + 3_600_000;
  const seen = (monitor: Monitor): Observation => {
    const issuer = isComplete ? (trusted ? authority : mintAuthority()) : intermediate;
    const leaf = issuer.issue({
      dnsNames: [monitor.host],
      ...(!isComplete && { caIssuersUrls: ['http://ca.example/1.cer'] }),
      notBefore: new Date(notAfter - lifetimeDays * DAY_MS),
      notAfter: new Date(notAfter),
    });
    return {
      ...answeredWith(leaf)(monitor),
      authorities: isComplete ? [] : [{ der: intermediate.der, source: 'cache', url: null }],
      http: { outcome: 'answered', address: '192.0.2.10', method: 'HEAD', status, durationMs: 95 },
    };
  };
  await finishChecks({ store, clock }, authority, seen);
}

/** Records a failed check, and a second one that confirms the failure. */
export async function goDown(api: TestApi, id: string, seen: { days?: number } = {}): Promise<void> {
  await recordCheck(api, id, { ...seen, status: 503 });
  api.clock.advance(60_000);
  await recordCheck(api, id, { ...seen, status: 503 });
}
