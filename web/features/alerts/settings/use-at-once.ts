import { useState } from 'react';

/**
 * What was chosen, from the press on until it is saved; else what is stored. Kept apart from the mutation, which says only later
 * that it began: until then a tick would jump back. Of several choices the last one holds until its own save is settled: a
 * mutation calls back for its last `mutate` alone.
 */
export function useAtOnce<Value>(
  stored: Value,
  save: (value: Value, settled: { onSettled: () => void }) => void,
): [value: Value, choose: (value: Value) => void] {
  const [chosen, setChosen] = useState<{ value: Value } | null>(null);
  const choose = (value: Value) => {
    setChosen({ value });
    save(value, { onSettled: () => setChosen(null) });
  };
  return [chosen ? chosen.value : stored, choose];
}
