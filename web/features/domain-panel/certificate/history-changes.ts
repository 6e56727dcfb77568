import type { HistoryDiffWire } from '../../../../contract/domain-report.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { daysText } from '../../../../contract/state/schedule.ts';

export interface HistoryChange {
  term: string;
  lines: string[];
  /** Whether the lines are shown in monospace, as host names are. */
  isMono: boolean;
}

// Maximum number of names that are listed; a certificate can have 2,000.
const MAX_NAMES = 20;

/** Returns the differences between two certificates; empty if only dates changed. */
export function historyChanges(diff: HistoryDiffWire): HistoryChange[] {
  const changes: HistoryChange[] = [];
  const add = (term: string, lines: string[], isMono = false) => changes.push({ term, lines, isMono });
  if (diff.names_added.length > 0) add('Names added', names(diff.names_added), true);
  if (diff.names_lost.length > 0) add('Names removed', names(diff.names_lost), true);
  if (diff.issuer) add('Issuer', [fromTo(diff.issuer)]);
  if (diff.subject) add('Subject', [fromTo(diff.subject)]);
  if (diff.key) add('Key', [fromTo(diff.key)]);
  if (diff.same_key) add('Key', ['Same key pair as before']);
  if (diff.lifetime_days) {
    const { from, to } = diff.lifetime_days;
    add('Lifetime', [`${days(from)} → ${days(to)}`]);
  }
  if (diff.signature_algorithm) add('Signature', [fromTo(diff.signature_algorithm)]);
  return changes;
}

function names(all: readonly string[]): string[] {
  const shown = all.slice(0, MAX_NAMES).map(visibleText);
  return all.length > shown.length ? [...shown, `and ${all.length - shown.length} more`] : shown;
}

function fromTo({ from, to }: { from: string; to: string }): string {
  return `${visibleText(from)} → ${visibleText(to)}`;
}

function days(count: number): string {
  const rounded = Math.round(count * 10) / 10;
  return daysText(rounded);
}
