import { useEffect, useRef, useState } from 'react';
import { previewImport } from '../../../contract/calls/domain-import.ts';
import { IMPORT_SIZE } from '../../../contract/words.ts';
import type { ImportPreview } from '../../../contract/domain-import.ts';
import { call } from '../../lib/api-client.ts';
import { messageOf } from '../../lib/api-error.ts';
import { inBatches } from '../../domain/in-batches.ts';
import { entriesOf, planImport, type PlannedLine } from './import-plan.ts';
import type { ParsedLine } from './parsed-import.ts';

/** Asks the server what it would do with each line. `asked` counts the lines answered so far. */
export function usePreview() {
  const [asked, setAsked] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);

  const ask = async (lines: readonly ParsedLine[], onPlan: (plan: PlannedLine[]) => void): Promise<void> => {
    const leave = new AbortController();
    leaving.current = leave;
    const answers: ImportPreview['entries'] = [];
    let room: number | null = null;
    setError(null);
    setAsked(0);
    const outcome = await inBatches({
      items: entriesOf(lines),
      size: IMPORT_SIZE,
      send: async (batch) => {
        const body = { entries: [...batch] };
        const preview = await call(previewImport, { body, signal: leave.signal });
        room = preview.room;
        return preview.entries;
      },
      onAnswers: (_, more) => {
        answers.push(...more);
        setAsked(answers.length);
      },
      signal: leave.signal,
    });
    if (leave.signal.aborted) return;
    setAsked(null);
    if (outcome.error !== null) setError(messageOf(outcome.error));
    else onPlan(planImport(lines, answers, room));
  };

  return { ask: (...asking: Parameters<typeof ask>) => void ask(...asking), asked, error };
}
