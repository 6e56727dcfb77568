import { expiryBadge } from '../../../../contract/state/badge.ts';
import { onScheduleWords, timeLeft } from '../../../../contract/state/schedule.ts';
import { inSentence, STATE_NAMES } from '../../../../contract/state/state-words.ts';
import type { SummaryWire } from '../../../../contract/domain.ts';
import type { HorizonEntry } from '../../../ui/horizon/horizon-layout.ts';
import { counted, grouped, longDate } from '../../../lib/format.ts';
import { STATE_MARKS } from '../../../domain/state-marks.tsx';
import { ATTENTION_REASONS, type AttentionReason } from '../../../../contract/words.ts';

type Shown = Pick<SummaryWire, 'expiries' | 'problems'>;

/** Maximum number of domains in the summary's `problems`. */
const MAX_PROBLEMS = 500;

/** What the filtered list shows: the ids of its domains, and the days (UTC, as '2026-11-22') on which their certificates expire. */
export interface ListedPins {
  ids: ReadonlySet<string>;
  days: ReadonlySet<string>;
}

/**
 * Returns the pins for the summary. Computes expiry states from `now`; the server reports revocation and other problems. If the
 * expiry is more urgent than the problem, the pin shows the expiry. With `listed`, dims the pins that are not in the filtered list.
 */
export function horizonEntries(
  { expiries, problems }: Shown,
  now: number,
  listed: ListedPins | null,
): HorizonEntry[] {
  return expiries.map((expiry) => {
    const {
      id,
      display_name,
      not_after,
      state,
      count: domains,
      certificate_count: count,
      fingerprint,
    } = expiry;
    const notAfter = Date.parse(not_after);
    const shared = fingerprint === null ? undefined : { fingerprint, domains };
    const its = problems.filter((problem) =>
      shared ? problem.fingerprint === fingerprint : problem.id === id,
    );
    const [worst] = its.toSorted((one, other) => rankOf(one.kind) - rankOf(other.kind));
    const badge = expiryBadge(notAfter, now)?.status ?? 'ok';
    // The badge of a short-lived certificate is red from its first day on, even while nobody has to act.
    const dated = expiry.on_schedule && badge !== 'expired' ? 'ok' : badge;
    const isWorse = worst !== undefined && (dated === 'ok' || rankOf(worst.kind) < rankOf(dated));
    const fault = worst && STATE_MARKS[worst.kind].tone === 'critical' ? 'fault' : 'flaw';
    const status = state === 'revoked' ? state : isWorse ? fault : dated;
    const affected = new Set(its.filter(({ kind }) => kind === worst?.kind).map((problem) => problem.id))
      .size;
    const number = (problems.length < MAX_PROBLEMS ? '' : 'at least ') + grouped(affected);
    const where = shared ? ` on ${number} of ${grouped(domains)} domains` : '';
    // If several domains share the certificate, the server names only one of them, so its day decides.
    const isListed = count > 1 || shared ? listed?.days.has(not_after.slice(0, 10)) : listed?.ids.has(id);
    return {
      id,
      name: display_name,
      notAfter,
      status,
      count,
      shared,
      schedule: dated === badge ? undefined : onScheduleWords(expiry.renewal_due_at, now),
      troubleState: worst?.kind,
      trouble: worst && `${inSentence(STATE_NAMES[worst.kind])}${where}`,
      isDimmed: isListed === false,
    };
  });
}

const rankOf = (reason: AttentionReason): number => ATTENTION_REASONS.indexOf(reason);

/** Returns '2 days left' for the tooltip of a pin that has no badge, and for its link. */
export const daysLeftWords = (notAfter: number, now: number): string => `${timeLeft(notAfter - now)} left`;

/** Returns 'and 2 more domains with this certificate'. */
export const otherDomainsText = ({ domains }: { domains: number }): string =>
  `and ${counted(domains - 1, 'more domain')} with this certificate`;

/** Returns the accessible name of a pin's link, with everything its tooltip shows. */
export function pinName(entry: HorizonEntry, now: number): string {
  const { notAfter, status, trouble, count, schedule } = entry;
  const date = longDate(notAfter);
  const filtered = entry.isDimmed === true ? ', not in the list below' : '';
  if (count > 1)
    return `${grouped(count)} certificates ${notAfter < now ? 'expired' : 'expire'} on ${date}${filtered}`;
  const name = entry.name + (entry.shared ? ` ${otherDomainsText(entry.shared)}` : '');
  const isWrong = trouble === undefined ? '' : `, ${trouble}`;
  const isRevoked = status === 'revoked' ? `, ${inSentence(STATE_NAMES.revoked)}` : '';
  if (notAfter < now) return `${name}, expired on ${date}${isRevoked}${isWrong}${filtered}`;
  const left = isRevoked || `, ${schedule ?? daysLeftWords(notAfter, now)}`;
  return `${name}, expires on ${date}${left}${isWrong}${filtered}`;
}
