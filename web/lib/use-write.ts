import { useMutation } from '@tanstack/react-query';
import type { UseMutationOptions, UseMutationResult } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

/**
 * Works like `useMutation`, but ignores a call whose variables equal those of one in flight. `isPending` only changes with the next
 * render, so a double click would otherwise send the request twice.
 */
export function useWrite<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): UseMutationResult<Data, Error, Variables> {
  const inFlight = useRef(new Set<string>());
  const mutation = useMutation({
    ...options,
    onSettled: (...outcome) => {
      inFlight.current.delete(keyOf(outcome[2]));
      return options.onSettled?.(...outcome);
    },
  });
  const { mutate: start } = mutation;
  const mutate = useCallback<typeof start>(
    (...call) => {
      const key = keyOf(call[0]);
      if (inFlight.current.has(key)) return;
      inFlight.current.add(key);
      start(...call);
    },
    [start],
  );
  return { ...mutation, mutate };
}

const keyOf = (variables: unknown): string => JSON.stringify(variables) ?? '';
