import { inSentence, STATE_NAMES } from '../../../../contract/state/state-words.ts';
import type { ReportWire } from '../../../../contract/domain-report.ts';
import type { ChainCertificateWire, DomainWire } from '../../../../contract/domain.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { counted, longDate, plural } from '../../../lib/format.ts';

type PathEntry = ReportWire['path'][number];

/** A certificate of the validated path, of the chain that the server sent, or of both. */
export interface PathRow {
  entry: PathEntry | null;
  /** The certificate with its PEM; null if the server did not send it. */
  certificate: ChainCertificateWire | null;
  /** Position of the certificate in the sent chain, from 0; null if it was not sent. */
  sentAt: number | null;
}

export interface PathRows {
  /** From the leaf to the trust anchor; empty if there is no valid path. */
  path: PathRow[];
  /** Sent certificates that are not on the path; all of them if there is no valid path. */
  others: PathRow[];
}

/** Merges the sent chain with the path that was built. */
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
    // A sent root counts as not on the path, because clients use their own copy.
    const sent = entry.role === 'anchor' ? null : take(entry.fingerprint);
    return { certificate: null, sentAt: null, ...sent, entry };
  });
  const others = [...left].map(([sentAt, certificate]) => ({ entry: null, certificate, sentAt }));
  return { path: rows, others };
}

/**
 * Compares the sent chain with the path: 'The server sends 1 certificate. R13 is missing.' With `isPast` (the last check read
 * no certificate), only says how many certificates the server sent.
 */
export function sentLine({ path, others }: PathRows, isPast = false): string {
  const places = path.flatMap(({ sentAt }) => (sentAt === null ? [] : [sentAt]));
  const count = places.length + others.length;
  const certificates = counted(count, 'certificate');
  if (isPast) return `The server sent ${certificates}.`;
  const sends = `The server sends ${certificates}`;
  if (path.length === 0) return `${sends}.`;
  const missing = path.filter(
    ({ entry, sentAt }) => entry !== null && entry.role !== 'anchor' && sentAt === null,
  );
  const notes: string[] = [];
  if (missing.length > 0) {
    const names = missing.map(({ entry }) => visibleText(entry?.name ?? '')).join(', ');
    notes.push(`${names} ${plural(missing.length, 'is', 'are')} missing.`);
  }
  if (others.length > 0)
    notes.push(`${others.length === 1 ? 'One is' : `${others.length} are`} not on the path.`);
  if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)))
    notes.push('The order is wrong.');
  return notes.length === 0 ? `${sends}: complete and in order.` : `${sends}. ${notes.join(' ')}`;
}

/** Returns one line about the path: at which root it ends, and which certificate expires before the leaf. */
export function pathLine(
  path: readonly PathEntry[],
  { weakest_link: weakest, unreachable }: Pick<DomainWire, 'weakest_link' | 'unreachable'>,
): string {
  const anchor = path.find(({ role }) => role === 'anchor');
  if (!anchor && unreachable) return `Not checked: ${inSentence(STATE_NAMES.unreachable)}`;
  const ends =
    weakest && `The chain expires on ${longDate(weakest.expiry_date)} with ${visibleText(weakest.name)}`;
  if (!anchor) return ends ? `No path to a trusted root. ${ends}` : 'No path to a trusted root';
  const leads = `Ends at ${visibleText(anchor.name)}, a trusted root`;
  return ends ? `${leads}. ${ends}` : leads;
}
