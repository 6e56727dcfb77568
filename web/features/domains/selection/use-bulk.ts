import { useEffect, useRef, useState } from 'react';
import { BULK_SIZE } from '../../../../contract/words.ts';
import type { BulkResult, DomainWire } from '../../../../contract/domain.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { toast } from '../../../ui/toast.tsx';
import { useDomainCache } from '../domain-cache.ts';
import { inBatches } from '../in-batches.ts';
import { useWarnBeforeLeaving } from '../use-warn-before-leaving.ts';
import { failuresOf, outcomeLine } from './bulk-outcome.ts';
import type { BulkAction, BulkOutcome } from './bulk-outcome.ts';
import { actOnDomains } from './selection-calls.ts';
import { useSelection } from './selection-context.ts';

export interface BulkProgress {
  action: BulkAction['action'];
  answered: number;
  total: number;
  /** Seconds that the server asked to wait; null while it is at work. */
  waiting: number | null;
}

/** What did not work in the last run, and the way to try it again. */
export interface BulkTrouble {
  action: BulkAction;
  outcome: BulkOutcome;
}

/**
 * Does something with everything that is selected, one batch after the other. What is done is deselected at the end; what
 * was refused, not sent or not answered stays selected.
 */
export function useBulk() {
  const { selected, loaded, drop } = useSelection();
  const cache = useDomainCache();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [trouble, setTrouble] = useState<BulkTrouble | null>(null);
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  useWarnBeforeLeaving(progress !== null);

  const run = async (action: BulkAction): Promise<void> => {
    const ids = [...selected];
    if (ids.length === 0 || progress) return;
    const names = new Map(loaded.map((domain) => [domain.id, domain.display_name]));
    const results: BulkResult = [];
    const stop = new AbortController();
    stopping.current = stop;
    setTrouble(null);
    const show = (waiting: number | null) =>
      setProgress({ action: action.action, answered: results.length, total: ids.length, waiting });
    show(null);
    const { error } = await inBatches({
      items: ids,
      size: BULK_SIZE,
      send: (batch) => actOnDomains({ ...action, ids: [...batch] }),
      onAnswers: (_, answers) => {
        results.push(...answers);
        cache.patch(answers.flatMap(({ domain }) => (domain && action.action !== 'remove' ? [domain] : [])));
        show(null);
      },
      onWait: show,
      signal: stop.signal,
    });

    const done = results.filter(({ problem }) => problem === null);
    const gone = done.filter(({ domain }) => action.action === 'remove' || domain === null);
    cache.removeAll(gone.map(({ id }) => id));
    // What got no answer may still have been done.
    if (error !== null) cache.reread();
    drop(done.map(({ id }) => id));
    setProgress(null);
    const outcome: BulkOutcome = {
      done: done.length,
      failures: failuresOf(results, (id) => names.get(id) ?? null),
      unanswered: ids.length - results.length,
      error: error === null ? null : messageOf(error),
    };
    if (outcome.failures.length > 0 || error !== null) setTrouble({ action, outcome });
    // Stopped by hand: what was done until then, and nothing about the rest.
    else if (outcome.done > 0) toast.success(outcomeLine(action.action, { ...outcome, unanswered: 0 }));
  };

  return {
    run,
    progress,
    stop: () => stopping.current?.abort(),
    trouble,
    dismissTrouble: () => setTrouble(null),
  };
}

/** What is selected and known by name. */
export function onlyOne(selected: ReadonlySet<string>, loaded: readonly DomainWire[]): DomainWire | null {
  return selected.size === 1 ? (loaded.find(({ id }) => selected.has(id)) ?? null) : null;
}
