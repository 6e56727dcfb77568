import { useMutation } from '@tanstack/react-query';
import type { UseMutationOptions, UseMutationResult } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

/**
 * Runs calls that change something. A call with the variables of one that is still under way is dropped, so two clicks without a gap
 * send one call: the page learns only with its next render that a call is under way.
 */
export function useWrite<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): UseMutationResult<Data, Error, Variables> {
  const underWay = useRef(new Set<string>());
  const mutation = useMutation({
    ...options,
    onSettled: (...outcome) => {
      underWay.current.delete(keyOf(outcome[2]));
      return options.onSettled?.(...outcome);
    },
  });
  const { mutate: start } = mutation;
  const mutate = useCallback<typeof start>(
    (...call) => {
      const key = keyOf(call[0]);
      if (underWay.current.has(key)) return;
      underWay.current.add(key);
      start(...call);
    },
    [start],
  );
  return { ...mutation, mutate };
}

const keyOf = (variables: unknown): string => JSON.stringify(variables) ?? '';
