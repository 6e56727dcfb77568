import { useEffect, useRef, useState } from 'react';
import { importDomains } from '../../../contract/calls/domain-import.ts';
import { IMPORT_SIZE } from '../../../contract/words.ts';
import { track } from '../../lib/browser/analytics.ts';
import { call } from '../../lib/api-client.ts';
import { messageOf } from '../../lib/api-error.ts';
import { useDomainCache } from '../../domain/domain-cache.ts';
import { inBatches } from '../../domain/in-batches.ts';
import { type PlannedLine, remaining, type Results, withAnswers, withUnanswered } from './import-plan.ts';

/** `broken`: a call failed; the remaining lines can be sent again. */
export type ImportState =
  { kind: 'ready' | 'running' | 'paused' | 'done' } | { kind: 'broken'; message: string };

/** Adds the lines of the import plan, one call after the other. A line that was added stays added, even if a later call fails. */
export function useImport(plan: readonly PlannedLine[]) {
  const cache = useDomainCache();
  const [state, setState] = useState<ImportState>({ kind: 'ready' });
  const [results, setResults] = useState<Results>(new Map());
  const [waiting, setWaiting] = useState<number | null>(null);
  const pausing = useRef<AbortController>(undefined);
  useEffect(() => () => pausing.current?.abort(), []);

  const run = async (commonTags: readonly string[]): Promise<void> => {
    const pause = new AbortController();
    pausing.current = pause;
    setState({ kind: 'running' });
    let latest = results;
    let sent: readonly number[] = [];
    const outcome = await inBatches({
      items: remaining(plan, results),
      size: IMPORT_SIZE,
      send: (indices) => {
        sent = indices;
        const entries = indices.flatMap((index) => entryAt(plan, index, commonTags));
        return call(importDomains, { body: { entries } });
      },
      onAnswers: (indices, answers) => {
        sent = [];
        latest = withAnswers(latest, indices, [...answers]);
        setResults(latest);
      },
      onWait: setWaiting,
      signal: pause.signal,
    });
    if (outcome.error !== null) {
      latest = withUnanswered(latest, sent);
      setResults(latest);
    }
    // Once for the whole import: refreshes the list, its counts and the horizon.
    if (outcome.answered > 0) cache.reread();
    const isDone = remaining(plan, latest).length === 0;
    if (outcome.error !== null) setState({ kind: 'broken', message: messageOf(outcome.error) });
    else setState({ kind: isDone ? 'done' : 'paused' });
    const added = [...latest.values()].filter(({ kind }) => kind === 'added').length;
    if (isDone && added > 0) track({ name: 'user_add_domain', count: added });
  };

  return {
    state,
    results,
    /** Seconds that the server asked us to wait; null otherwise. */
    waiting,
    run: (commonTags: readonly string[]) => void run(commonTags),
    pause: () => pausing.current?.abort(),
  };
}

function entryAt(plan: readonly PlannedLine[], index: number, commonTags: readonly string[]) {
  const entry = plan[index]?.entry;
  return entry ? [{ ...entry, tags: [...commonTags, ...(entry.tags ?? [])] }] : [];
}
