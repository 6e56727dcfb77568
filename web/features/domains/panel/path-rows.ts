import type { ReportWire } from '../../../../contract/domain-report.ts';
import type { ChainCertificateWire, DomainWire } from '../../../../contract/domain.ts';
import { longDate } from '../../../lib/dates.ts';
import { visibleText } from '../../../ui/visible-text.ts';

type PathEntry = ReportWire['path'][number];

/** A certificate of the path or of what was sent. At least one of the two is there. */
export interface PathRow {
  entry: PathEntry | null;
  /** With its PEM, where it was sent. */
  certificate: ChainCertificateWire | null;
  /** Its place in what was sent, from 0; null where it was not. */
  sentAt: number | null;
}

export interface PathRows {
  /** From the leaf to the trust anchor; empty where no path holds. */
  path: PathRow[];
  /** What was sent and is not on the path; all that was sent where no path holds. */
  others: PathRow[];
}

/** Lays what was sent beside the path that was built. */
export function pathRows(path: readonly PathEntry[], chain: readonly ChainCertificateWire[]): PathRows {
  const left = new Map(chain.entries());
  const take = (fingerprint: string): PathRow | null => {
    for (const [sentAt, certificate] of left)
      if (certificate.fingerprint === fingerprint) {
        left.delete(sentAt);
        return { entry: null, certificate, sentAt };
      }
    return null;
  };
  const rows = path.map((entry): PathRow => {
    // A root that was sent is one of the others: nobody takes it from there.
    const sent = entry.role === 'anchor' ? null : take(entry.fingerprint);
    return { certificate: null, sentAt: null, ...sent, entry };
  });
  const others = [...left].map(([sentAt, certificate]) => ({ entry: null, certificate, sentAt }));
  return { path: rows, others };
}

/**
 * How what was sent compares with the path: 'The server sends 1 certificate. R13 is missing.' Of a host that was not
 * reached, `isPast`, only how many it once sent.
 */
export function sentLine({ path, others }: PathRows, isPast = false): string {
  const places = path.flatMap(({ sentAt }) => (sentAt === null ? [] : [sentAt]));
  const count = places.length + others.length;
  const certificates = `${count} ${count === 1 ? 'certificate' : 'certificates'}`;
  if (isPast) return `It sent ${certificates}.`;
  const sends = `The server sends ${certificates}`;
  if (path.length === 0) return `${sends}.`;
  const missing = path.filter(
    ({ entry, sentAt }) => entry !== null && entry.role !== 'anchor' && sentAt === null,
  );
  const notes: string[] = [];
  if (missing.length > 0) {
    const names = missing.map(({ entry }) => visibleText(entry?.name ?? '')).join(', ');
    notes.push(`${names} ${missing.length === 1 ? 'is' : 'are'} missing.`);
  }
  if (others.length > 0)
    notes.push(`${others.length === 1 ? 'One is' : `${others.length} are`} not on the path.`);
  if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)))
    notes.push('They are not in order.');
  return notes.length === 0 ? `${sends}: all that is needed, in order.` : `${sends}. ${notes.join(' ')}`;
}

/** The one line on the path: where it leads, and what ends before the leaf does. */
export function pathLine(
  path: readonly PathEntry[],
  { weakest_link: weakest, unreachable }: Pick<DomainWire, 'weakest_link' | 'unreachable'>,
): string {
  const anchor = path.find(({ role }) => role === 'anchor');
  if (!anchor && unreachable) return 'Not looked at: the host was not reached';
  const ends =
    weakest && `Everything ends on ${longDate(weakest.expiry_date)} with ${visibleText(weakest.name)}`;
  if (!anchor)
    return ends ? `No way to a trusted root was found. ${ends}` : 'No way to a trusted root was found';
  const leads = `Leads to ${visibleText(anchor.name)}, which is trusted`;
  return ends ? `${leads}. ${ends}` : leads;
}
