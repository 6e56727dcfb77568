import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

/**
 * Works like `useMutation`, but ignores a call whose variables equal those of a call in flight (with a scope: of the last one
 * in flight). The library's `isPending` changes only with the next render, so a double click could send the request twice.
 */
export function useWrite<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): UseMutationResult<Data, Error, Variables> {
  const inFlight = useRef<string[]>([]);
  const mutation = useMutation({
    ...options,
    onSettled: (...outcome) => {
      const settled = inFlight.current.indexOf(keyOf(outcome[2]));
      inFlight.current = inFlight.current.filter((_, index) => index !== settled);
      return options.onSettled?.(...outcome);
    },
  });
  const { mutate: start } = mutation;
  const isOrdered = options.scope !== undefined;
  const mutate = useCallback<typeof start>(
    (...call) => {
      const key = keyOf(call[0]);
      // With a scope, calls run in order, and a choice that was made, changed and made again must be sent again.
      const started = isOrdered ? inFlight.current.slice(-1) : inFlight.current;
      if (started.includes(key)) return;
      inFlight.current = [...inFlight.current, key];
      start(...call);
    },
    [start, isOrdered],
  );
  return { ...mutation, mutate };
}

const keyOf = (variables: unknown): string => JSON.stringify(variables) ?? '';
