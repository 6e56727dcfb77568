import { useEffect, useRef, useState } from 'react';
import { actOnDomains } from '../../../../contract/calls/domain.ts';
import { BULK_SIZE } from '../../../../contract/words.ts';
import type { BulkResult, DomainWire } from '../../../../contract/domain.ts';
import { call } from '../../../lib/api-client.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { toast } from '../../../ui/toast.tsx';
import { useDomainCache } from '../../../domain/domain-cache.ts';
import { inBatches, useWarnBeforeLeaving } from '../../../domain/in-batches.ts';
import { type BulkAction, type BulkOutcome, failuresOf, outcomeLine } from './bulk-outcome.ts';
import { useSelection } from './selection-provider.tsx';

export interface BulkProgress {
  action: BulkAction['action'];
  answered: number;
  total: number;
  /** Seconds that the server asked us to wait; null otherwise. */
  waiting: number | null;
}

/** The failures of the last run, and how to retry. */
export interface BulkTrouble {
  action: BulkAction;
  outcome: BulkOutcome;
}

/**
 * Runs an action on the selection, batch by batch. Afterwards the completed domains are deselected; failed and unsent ones stay
 * selected.
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
      send: (batch) => call(actOnDomains, { body: { ...action, ids: [...batch] } }),
      onAnswers: (_, answers) => {
        results.push(...answers);
        if (action.action !== 'remove') cache.reread();
        show(null);
      },
      onWait: show,
      signal: stop.signal,
    });

    const done = results.filter(({ problem }) => problem === null);
    const gone = done.filter(({ domain }) => action.action === 'remove' || domain === null);
    cache.remove(gone.map(({ id }) => id));
    // Domains without a response may have been changed.
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
    // If the user stopped the run, report what was done and say nothing about the other domains.
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

/** Returns the selected domain if exactly one is selected and it is loaded, else null. */
export function onlySelected(
  selected: ReadonlySet<string>,
  loaded: readonly DomainWire[],
): DomainWire | null {
  return selected.size === 1 ? (loaded.find(({ id }) => selected.has(id)) ?? null) : null;
}
