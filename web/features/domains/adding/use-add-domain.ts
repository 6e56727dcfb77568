import { useRef, useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { track } from '../../../lib/analytics.ts';
import { ApiError } from '../../../lib/api-client.ts';
import { ADD_DOMAIN_DRAFT, useDraft } from '../../../lib/draft.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';
import { useDomainCache } from '../domain-cache.ts';
import { addDomain } from '../domain-calls.ts';

export interface AddDomainOutcome {
  onAdded: (domain: DomainWire) => void;
  /** The plan holds no more domains. */
  onLimitReached: () => void;
}

/** One sending of the form: what was typed, and in which use of the form. */
interface Attempt {
  typed: string;
  use: number;
}

/**
 * The state of a form that adds a domain. What was typed stays until it was added. An answer that comes after the form was
 * left, or opened anew, adds its domain and leaves the form alone.
 */
export function useAddDomain({ onAdded, onLimitReached }: AddDomainOutcome) {
  const cache = useDomainCache();
  const [host, setHost, clearHost] = useDraft(ADD_DOMAIN_DRAFT);
  const [error, setError] = useState<string>();
  const use = useRef(0);
  const { mutate, reset, isPending } = useWrite({
    mutationFn: ({ typed }: Attempt) => addDomain(typed.trim()),
    onSuccess: (domain, attempt) => {
      cache.put(domain);
      track({ name: 'user_add_domain', count: cache.count() });
      if (attempt.use !== use.current) return;
      // Who types the next one already goes on with it.
      if (clearHost(attempt.typed)) onAdded(domain);
    },
    onError: (failure, attempt) => {
      const isLimit = failure instanceof ApiError && failure.status === 402;
      if (isLimit && attempt.use === use.current) onLimitReached();
      else toast.error(failureText(failure));
    },
  });

  const leave = () => {
    use.current += 1;
    reset();
    setError(undefined);
  };
  return {
    host,
    error,
    isBusy: isPending,
    type: (text: string) => {
      setHost(text);
      setError(undefined);
    },
    /** The form is left for now: what was typed stays. */
    leave,
    /** The form is left without adding. */
    clear: () => {
      leave();
      clearHost();
    },
    submit: (text: string = host) => {
      const isBlank = text.trim() === '';
      setError(isBlank ? 'Please enter a valid host address' : undefined);
      if (!isBlank && !isPending) mutate({ typed: text, use: use.current });
    },
  };
}
