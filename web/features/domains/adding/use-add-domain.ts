import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { track } from '../../../lib/analytics.ts';
import { ApiError, messageOf } from '../../../lib/api-client.ts';
import { toast } from '../../../ui/toast.tsx';
import { addDomain } from '../domain-calls.ts';
import { useDomainCache } from '../domain-queries.ts';

export interface AddDomainOutcome {
  onAdded: (domain: DomainWire) => void;
  /** The plan holds no more domains. */
  onLimitReached: () => void;
}

/** The state of a form that adds a domain. What was typed stays until it was added. */
export function useAddDomain({ onAdded, onLimitReached }: AddDomainOutcome) {
  const cache = useDomainCache();
  const [host, setHost] = useState('');
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useMutation({
    mutationFn: addDomain,
    onSuccess: (domain) => {
      cache.put(domain);
      track({ name: 'user_add_domain', count: cache.count() });
      setHost('');
      onAdded(domain);
    },
    onError: (failure) => {
      if (failure instanceof ApiError && failure.status === 402) onLimitReached();
      else toast.error(messageOf(failure));
    },
  });

  return {
    host,
    error,
    isBusy: isPending,
    type: (text: string) => {
      setHost(text);
      setError(undefined);
    },
    clear: () => {
      setHost('');
      setError(undefined);
    },
    submit: (text: string = host) => {
      const trimmed = text.trim();
      setError(trimmed === '' ? 'Please enter a valid host address' : undefined);
      if (trimmed !== '' && !isPending) mutate(trimmed);
    },
  };
}
